/** Finds the code that documents show, and turns each page into a module that checks what the page claims. */
import ts from 'typescript'

export interface Block {
  /** 1-based line of the file on which the code begins. */
  readonly line: number
  readonly code: string
  /** Why the block is not run; only `ts no-run REASON` says so. */
  readonly noRun?: string
}

export interface Page {
  readonly file: string
  readonly blocks: ReadonlyArray<Block>
}

/** A page as a TypeScript module, or what is wrong with how it is written. */
export interface PageModule {
  readonly code: string
  readonly claims: number
  readonly mistakes: ReadonlyArray<string>
}

/** Every fenced `ts` block of a Markdown text, in order. Fences may be indented. */
export const readMarkdown = (file: string, text: string): Page => {
  const blocks: Array<Block> = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^(\s*)(`{3,}|~{3,})\s*(.*)$/.exec(lines[at] ?? '')
    if (fence === null) continue
    const [, indent = '', mark = '', info = ''] = fence
    const start = at + 1
    at += 1
    while (at < lines.length && (lines[at] ?? '').trim() !== mark) at += 1
    const code = lines
      .slice(start, at)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
      .join('\n')
    const [language, ...rest] = info.trim().split(/\s+/)
    if (language !== 'ts' && language !== 'typescript') continue
    if (rest[0] === 'no-run') blocks.push({ line: start + 1, code, noRun: rest.slice(1).join(' ') })
    else blocks.push({ line: start + 1, code })
  }
  return { file, blocks }
}

/** The `@example` of every doc comment of a source, in order; a fence inside the example is taken off. */
export const readExamples = (file: string, text: string): Page => {
  const blocks: Array<Block> = []
  const comment = /\/\*\*[\s\S]*?\*\//g
  for (let found = comment.exec(text); found !== null; found = comment.exec(text)) {
    const firstLine = text.slice(0, found.index).split('\n').length
    const lines = found[0]
      .split('\n')
      .map((line) => line.replace(/^\s*\/?\*+\/? ?/, '').replace(/\s*\*\/$/, ''))
    for (let at = 0; at < lines.length; at += 1) {
      const tag = /^\s*@example\b\s*(.*)$/.exec(lines[at] ?? '')
      if (tag === null) continue
      const taken: Array<string> = [tag[1] ?? '']
      const start = at
      while (at + 1 < lines.length && !/^\s*@\w+/.test(lines[at + 1] ?? '')) {
        at += 1
        taken.push(lines[at] ?? '')
      }
      const code = taken.map((line) => (/^\s*```/.test(line) ? '' : line)).join('\n')
      blocks.push({ line: firstLine + start, code })
    }
  }
  return { file, blocks }
}

const marker = /\/\/\s*=>\s?(.*)$/

interface Claim {
  readonly value: string
  /** 0-based line of the block. */
  readonly line: number
}

/** A claim stands at the end of a statement's last line or begins the next one; `//` lines below continue it. */
const claimAfter = (lines: ReadonlyArray<string>, end: ts.LineAndCharacter): Claim | undefined => {
  const tail = (lines[end.line] ?? '').slice(end.character)
  const onLine = marker.exec(tail)
  const below = /^\s*\/\//.test(lines[end.line + 1] ?? '') ? marker.exec(lines[end.line + 1] ?? '') : null
  const found = onLine ?? (tail.trim() === '' ? below : null)
  if (found === null) return undefined
  const line = onLine === null ? end.line + 1 : end.line
  const value = [found[1] ?? '']
  for (let at = line + 1; /^\s*\/\/ {2,}\S/.test(lines[at] ?? '') && !marker.test(lines[at] ?? ''); at += 1) {
    value.push((lines[at] ?? '').replace(/^\s*\/\//, ''))
  }
  return { value: value.join('\n').trim(), line }
}

/** What a statement shows: the expression, or the name that it binds; `console.log(x)` shows `x`. */
const shownBy = (statement: ts.Statement, source: ts.SourceFile): string | undefined => {
  if (ts.isExpressionStatement(statement)) {
    const { expression } = statement
    const isLog = ts.isCallExpression(expression) && expression.expression.getText(source) === 'console.log'
    if (!isLog) return expression.getText(source)
    return expression.arguments.length === 1 ? expression.arguments[0]?.getText(source) : undefined
  }
  if (!ts.isVariableStatement(statement)) return undefined
  const [declaration, ...others] = statement.declarationList.declarations
  if (declaration === undefined || others.length > 0 || !ts.isIdentifier(declaration.name)) return undefined
  return declaration.name.text
}

const withoutExport = (statement: ts.Statement, source: ts.SourceFile): string => {
  const text = statement.getText(source)
  return text.replace(/^export\s+(?=const|let|function|async|class|interface|type|declare)/, '')
}

const isExpression = (value: string): boolean => {
  const parsed = ts.transpileModule(`(${value}\n)`, { reportDiagnostics: true })
  return value !== '' && (parsed.diagnostics ?? []).length === 0
}

/**
 * One module that runs every block of a page in order. A block sees the names of the blocks above it, and may use
 * a name again. Each claim becomes a call of `check(line, actual, expected)`.
 *
 * @param implicitImports import lines for the names that the page uses without importing them
 */
export const pageModule = (
  page: Page,
  implicitImports: (used: ReadonlySet<string>) => ReadonlyArray<string>
): PageModule => {
  const imports = new Map<string, string>()
  const imported = new Set<string>()
  const used = new Set<string>()
  const declared = new Set<string>()
  const mistakes: Array<string> = []
  const body: Array<string> = []
  let claims = 0
  const runnable = page.blocks.filter(({ noRun }) => noRun === undefined)
  for (const block of runnable) {
    const source = ts.createSourceFile('block.ts', block.code, ts.ScriptTarget.ES2022, true)
    const lines = block.code.split('\n')
    const claimed = new Set<number>()
    const collect = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) used.add(node.text)
      if ((ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node)) && node.name !== undefined) {
        for (const name of boundNames(node.name)) declared.add(name)
      }
      ts.forEachChild(node, collect)
    }
    collect(source)
    body.push('{')
    for (const statement of source.statements) {
      const lineOf = (position: number): number =>
        block.line + source.getLineAndCharacterOfPosition(position).line
      const here = lineOf(statement.getStart(source))
      if (ts.isImportDeclaration(statement)) {
        for (const [name, text] of importedNames(statement, source)) {
          const before = imports.get(name)
          if (before !== undefined && before !== text) {
            mistakes.push(`${page.file}:${here} imports '${name}' a second time, from another place`)
          }
          imports.set(name, text)
          imported.add(name)
        }
        continue
      }
      body.push(`;at(${here});`)
      const claim = claimAfter(lines, source.getLineAndCharacterOfPosition(statement.end))
      const shown = shownBy(statement, source)
      if (claim === undefined || shown === undefined) {
        body.push(withoutExport(statement, source))
        continue
      }
      claimed.add(claim.line)
      claims += 1
      if (!isExpression(claim.value)) {
        mistakes.push(
          `${page.file}:${block.line + claim.line} claims '${claim.value}', which is no expression`
        )
        continue
      }
      if (ts.isVariableStatement(statement)) body.push(withoutExport(statement, source))
      body.push(`;check(${block.line + claim.line}, ${shown}, (${claim.value}\n));`)
    }
    lines.forEach((line, index) => {
      if (marker.test(line) && !claimed.has(index)) {
        mistakes.push(`${page.file}:${block.line + index} claims a value that no top-level expression shows`)
      }
    })
  }
  body.push('}'.repeat(runnable.length))
  const wanted = new Set([...used].filter((name) => !imported.has(name) && !declared.has(name)))
  const head = [...new Set(imports.values()), ...implicitImports(wanted)]
  return { code: [...head, ...body].join('\n'), claims, mistakes }
}

const boundNames = (name: ts.BindingName): ReadonlyArray<string> => {
  if (ts.isIdentifier(name)) return [name.text]
  const found: Array<string> = []
  for (const element of name.elements)
    if (ts.isBindingElement(element)) found.push(...boundNames(element.name))
  return found
}

/** One import line per local name, so that two blocks may import the same thing. */
const importedNames = (
  statement: ts.ImportDeclaration,
  source: ts.SourceFile
): ReadonlyArray<readonly [string, string]> => {
  const from = statement.moduleSpecifier.getText(source)
  const attributes = statement.attributes?.getText(source) ?? ''
  const clause = statement.importClause
  if (clause === undefined) return [[from, `import ${from} ${attributes}`]]
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return []
  const found: Array<readonly [string, string]> = []
  if (clause.name !== undefined) {
    found.push([clause.name.text, `import ${clause.name.text} from ${from} ${attributes}`])
  }
  const bindings = clause.namedBindings
  if (bindings !== undefined && ts.isNamespaceImport(bindings)) {
    found.push([bindings.name.text, `import * as ${bindings.name.text} from ${from} ${attributes}`])
  } else if (bindings !== undefined) {
    for (const element of bindings.elements) {
      if (!element.isTypeOnly) {
        found.push([element.name.text, `import { ${element.getText(source)} } from ${from} ${attributes}`])
      }
    }
  }
  return found
}

/** Names of values that a module exports by declaration or by a list. */
export const exportedValues = (text: string): ReadonlyArray<string> => {
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.ES2022, true)
  const found: Array<string> = []
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) {
      const clause = statement.exportClause
      if (statement.isTypeOnly || clause === undefined || !ts.isNamedExports(clause)) continue
      for (const element of clause.elements) if (!element.isTypeOnly) found.push(element.name.text)
      continue
    }
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      if (statement.name !== undefined) found.push(statement.name.text)
    } else if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) found.push(...boundNames(name))
    }
  }
  return found
}
