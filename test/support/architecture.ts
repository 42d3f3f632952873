/** Reads sources as text and says where they break the import table. Knows no file system. */
import { posix } from 'node:path'
import ts from 'typescript'

export interface Violation {
  readonly rule:
    | 'layer'
    | 'ladder'
    | 'dialect'
    | 'types-only'
    | 'index'
    | 'unresolved'
    | 'specifier'
    | 'package'
    | 'export-star'
    | 'default-export'
    | 'cycle'
    | 'name'
    | 'opening'
    | 'ambient'
    | 'unfinished'
  readonly file: string
  readonly detail: string
}

interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
}

/** Each core module may import the ones before it. */
export const coreLadder: ReadonlyArray<string> = [
  'item',
  'outcome',
  'policy',
  'progress',
  'error',
  'digest',
  'question',
  'structure',
  'roles',
  'refer',
  'claim',
  'filed',
  'held',
  'pair',
  'associate',
  'plain',
  'judge',
  'select',
  'wait',
  'entries',
  'layout',
  'saved',
  'draft',
  'load',
  'ended',
  'opened',
  'explain',
  'notice',
  'plan',
  'recover',
  'tracker',
  'profile',
  'history',
  'place',
  'ties',
  'audit',
  'fates',
  'edits',
  'repair'
]

const layers: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: ['core'],
  ports: ['ports', 'core'],
  dialects: ['dialects', 'core', 'ports'],
  save: ['save', 'core', 'ports'],
  runners: ['runners', 'core', 'ports', 'save'],
  sessions: ['sessions', 'ports', 'core'],
  conformance: ['conformance', 'core', 'dialects', 'ports', 'save'],
  cli: ['cli', 'core', 'ports', 'dialects', 'save', 'runners', 'sessions', 'conformance'],
  index: ['core', 'ports', 'save']
}

/** Layers that may name the core's types, but not call it. */
const typesOnly: ReadonlyArray<string> = ['ports']

const packages: Readonly<Record<string, ReadonlyArray<string>>> = {
  'src/runners/openai-agents': ['@openai/agents-core'],
  'src/runners/ai-sdk': ['ai'],
  'src/cli/': ['commander', 'picocolors', 'cli-table3', 'diff']
}

const ambientNames: ReadonlySet<string> = new Set([
  'Date',
  'Promise',
  'JSON',
  'process',
  'console',
  'globalThis'
])
const vagueName = /^(utils?|helpers?|common|shared|misc|types|constants)$/

const layerOf = (file: string): string => {
  const [, folder = ''] = file.split('/')
  return folder.replace(/\.ts$/, '')
}

/** `src/dialects/anthropic.ts` and `src/dialects/anthropic/blocks.ts` are one format; `wire` is for all. */
const formatOf = (file: string): string => (file.split('/')[2] ?? '').replace(/\.ts$/, '')

const importsOf = (source: ts.SourceFile): ReadonlyArray<Import> => {
  const found: Array<Import> = []
  const add = (node: ts.Node | undefined, typeOnly: boolean): void => {
    if (node !== undefined && ts.isStringLiteralLike(node)) found.push({ specifier: node.text, typeOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause))
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, isTypeOnlyExport(node))
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, true)
    else if (ts.isCallExpression(node) && isLoad(node.expression)) add(node.arguments[0], false)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const isLoad = (callee: ts.Expression): boolean =>
  callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')

const isTypeOnly = (clause: ts.ImportClause | undefined): boolean => {
  if (clause === undefined) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const bindings = clause.namedBindings
  if (clause.name !== undefined || bindings === undefined || !ts.isNamedImports(bindings)) return false
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly)
}

const isTypeOnlyExport = (node: ts.ExportDeclaration): boolean =>
  node.isTypeOnly ||
  (node.exportClause !== undefined &&
    ts.isNamedExports(node.exportClause) &&
    node.exportClause.elements.every((element) => element.isTypeOnly))

/** Names of the outer world that a source mentions, comments and strings left aside. */
const ambientMentions = (source: ts.SourceFile): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && node.getText(source) === 'Math.random')
      found.add('Math.random')
    if (ts.isIdentifier(node) && ambientNames.has(node.text) && !isMemberName(node)) found.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...found]
}

const isMemberName = (node: ts.Identifier): boolean => {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node
  if (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) return parent.name === node
  return false
}

const allowedSpecifier = (file: string, specifier: string): boolean => {
  if (specifier.startsWith('node:')) return layerOf(file) === 'cli'
  if (/^fp-ts(\/|$)/.test(specifier)) {
    const pure = !/^fp-ts\/lib\/(.*IO|.*Task.*|Console|Random|Date)/.test(specifier)
    return /^fp-ts\/lib\/[A-Za-z]+\.js$/.test(specifier) && (pure || layerOf(file) !== 'core')
  }
  if (/^io-ts(\/|$)/.test(specifier)) {
    return (
      /^io-ts(\/lib\/[A-Za-z]+\.js)?$/.test(specifier) && ['dialects', 'conformance'].includes(layerOf(file))
    )
  }
  return Object.entries(packages).some(
    ([start, names]) => file.startsWith(start) && names.includes(specifier)
  )
}

const sourceFor = (file: string, specifier: string): string =>
  posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts')

const checkRelative = (file: string, target: string, typeOnly: boolean): ReadonlyArray<Violation> => {
  const broken: Array<Violation> = []
  const report = (rule: Violation['rule'], detail: string): void => {
    broken.push({ rule, file, detail })
  }
  if (!target.startsWith('src/')) {
    // Data of the specification is the one thing outside src that belongs to the library.
    const isVectors = layerOf(file) === 'conformance' && /^docs\/spec\/.*\.json$/.test(target)
    if (!isVectors) report('layer', `${target} is outside src`)
    return broken
  }
  if (target === 'src/index.ts') {
    report('index', 'nothing inside src imports src/index.ts')
    return broken
  }
  const from = layerOf(file)
  const to = layerOf(target)
  if (!(layers[from] ?? []).includes(to)) report('layer', `${from} may not import ${to} (${target})`)
  if (typesOnly.includes(from) && to === 'core' && !typeOnly) {
    report('types-only', `${from} may import only types of ${target}`)
  }
  if (from === 'core' && to === 'core') {
    const here = coreLadder.indexOf(formatOf(file))
    const there = coreLadder.indexOf(formatOf(target))
    if (there >= here && here !== -1) report('ladder', `${target} does not stand below`)
  }
  if (from === 'dialects' && to === 'dialects') {
    const shared = formatOf(target) === 'wire'
    if (!shared && formatOf(file) !== formatOf(target))
      report('dialect', `${target} belongs to another format`)
  }
  return broken
}

const checkText = (file: string, text: string, source: ts.SourceFile): ReadonlyArray<Violation> => {
  const broken: Array<Violation> = []
  const report = (rule: Violation['rule'], detail: string): void => {
    broken.push({ rule, file, detail })
  }
  for (const statement of source.statements) {
    if (ts.isExportAssignment(statement)) report('default-export', 'exports have names')
    if (!ts.isExportDeclaration(statement)) continue
    const { exportClause } = statement
    if (exportClause === undefined || ts.isNamespaceExport(exportClause))
      report('export-star', 'exports are listed')
  }
  for (const segment of file.replace(/\.ts$/, '').split('/')) {
    if (vagueName.test(segment)) report('name', `'${segment}' answers no question`)
  }
  if (layerOf(file) === 'core') {
    if (!coreLadder.includes(formatOf(file))) report('ladder', 'has no place on the ladder')
    for (const name of ambientMentions(source)) report('ambient', name)
  }
  if (!/^(#!.*\n)?\s*\/\*\*/.test(text))
    report('opening', 'opens with a comment that says what only it decides')
  if (/\b(TODO|FIXME|XXX)\b/.test(text)) report('unfinished', 'says that something is left to do')
  return broken
}

const findCycle = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> | undefined => {
  const finished = new Set<string>()
  const path: Array<string> = []
  const visit = (file: string): ReadonlyArray<string> | undefined => {
    const start = path.indexOf(file)
    if (start !== -1) return [...path.slice(start), file]
    if (finished.has(file)) return undefined
    path.push(file)
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next)
      if (cycle !== undefined) return cycle
    }
    path.pop()
    finished.add(file)
    return undefined
  }
  for (const file of graph.keys()) {
    const cycle = visit(file)
    if (cycle !== undefined) return cycle
  }
  return undefined
}

/**
 * Every place where the sources break the table.
 *
 * @param sources text by path, such as `src/core/item.ts`
 */
export const checkArchitecture = (sources: ReadonlyMap<string, string>): ReadonlyArray<Violation> => {
  const broken: Array<Violation> = []
  const graph = new Map<string, ReadonlyArray<string>>()
  for (const [file, text] of sources) {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true)
    broken.push(...checkText(file, text, source))
    const targets: Array<string> = []
    for (const { specifier, typeOnly } of importsOf(source)) {
      if (!specifier.startsWith('.')) {
        if (!allowedSpecifier(file, specifier)) broken.push({ rule: 'package', file, detail: specifier })
        continue
      }
      const target = sourceFor(file, specifier)
      if (!/\.(js|json)$/.test(specifier)) broken.push({ rule: 'specifier', file, detail: specifier })
      else if (target.startsWith('src/') && !sources.has(target)) {
        broken.push({ rule: 'unresolved', file, detail: target })
      }
      broken.push(...checkRelative(file, target, typeOnly))
      targets.push(target)
    }
    graph.set(file, targets)
  }
  const cycle = findCycle(graph)
  if (cycle !== undefined) broken.push({ rule: 'cycle', file: cycle[0] ?? '', detail: cycle.join(' → ') })
  return broken
}
