/**
 * What the mutants of the core came to: the score, and a reason for every one that no test tells from the library.
 *
 * Law: only this file counts. It reads what the last runs left in `.stryker/`, takes away what the compiler refuses,
 * and asks `survivors.json` why each of the others lives. A survivor without a reason is a fault, a reason without its
 * survivor too, and so is a file that has changed since its mutants were tried.
 *
 * `node tools/mutation/report.mjs` prints the faults and the score; with `--write` it puts the tables into
 * docs/explanation/proof.md; with `--list` it prints the survivors that have no reason yet, ready for the file.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const results = join(root, 'tools/mutation/.stryker')
const page = join(root, 'docs/explanation/proof.md')

const read = (path) => readFileSync(path, 'utf8')
const inOneLine = (text) => text.replace(/\s+/g, ' ').trim()

/** The results that were kept, the oldest first. */
const listResults = () => {
  const names = readdirSync(results).filter((each) => each.endsWith('.incremental.json'))
  const timeOf = (name) => statSync(join(results, name)).mtimeMs
  return names.sort((one, other) => timeOf(one) - timeOf(other))
}

/** Every file with its mutants, from all runs that were kept; of two over today's source of a file, the later one. */
const readResults = () => {
  const files = new Map()
  for (const name of listResults()) {
    for (const [path, file] of Object.entries(JSON.parse(read(join(results, name))).files)) {
      const isCurrent = file.source === read(join(root, path))
      if (isCurrent || !files.has(path)) files.set(path, { ...file, isCurrent })
    }
  }
  return new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Where a mutant's text begins and ends in its source. Lines and columns count from 1. */
const rangeOf = (source, { start, end }) => {
  const lines = source.split('\n')
  const offsetOf = ({ line, column }) =>
    lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1
  return [offsetOf(start), offsetOf(end)]
}

/** Asks the compiler about one changed file at a time, with the settings that the core is checked with. */
const createCompiler = () => {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.core.json'),
    { noEmit: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined }
  )
  const changed = new Map()
  const versions = new Map()
  const host = {
    getCompilationSettings: () => config.options,
    getScriptFileNames: () => config.fileNames,
    getScriptVersion: (path) => String(versions.get(path) ?? 0),
    getScriptSnapshot: (path) => {
      const text = changed.get(path) ?? ts.sys.readFile(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories
  }
  const service = ts.createLanguageService(host)
  return (path, text) => {
    const whole = join(root, path)
    changed.set(whole, text)
    versions.set(whole, (versions.get(whole) ?? 0) + 1)
    const isRefused =
      service.getSyntacticDiagnostics(whole).length + service.getSemanticDiagnostics(whole).length > 0
    changed.delete(whole)
    versions.set(whole, (versions.get(whole) ?? 0) + 1)
    return isRefused
  }
}

/** A survivor as `survivors.json` names it: by the text around it, not by its line. */
const describe = (path, source, mutant) => {
  const [start, end] = rangeOf(source, mutant.location)
  return {
    file: path,
    in: source.split('\n')[mutant.location.start.line - 1].trim(),
    from: inOneLine(source.slice(start, end)),
    to: inOneLine(mutant.replacement)
  }
}

const keyOf = ({ file, in: line, from, to }) => JSON.stringify([file, line, from, to])

const isSurvivor = ({ status }) => status === 'Survived' || status === 'NoCoverage'

const count = (files) => {
  const isRefused = createCompiler()
  const rows = []
  const survivors = []
  for (const [path, { source, mutants, isCurrent }] of files) {
    const row = { path, isCurrent, killed: 0, stopped: 0, refused: 0, ignored: 0, alive: [] }
    for (const mutant of mutants) {
      if (mutant.status === 'Killed' || mutant.status === 'RuntimeError') row.killed += 1
      else if (mutant.status === 'Timeout') row.stopped += 1
      else if (mutant.status === 'CompileError') row.refused += 1
      else if (isSurvivor(mutant)) {
        const [start, end] = rangeOf(source, mutant.location)
        if (isRefused(path, source.slice(0, start) + mutant.replacement + source.slice(end))) row.refused += 1
        else {
          const survivor = { ...describe(path, source, mutant), line: mutant.location.start.line }
          row.alive.push(survivor)
          survivors.push(survivor)
        }
      } else row.ignored += 1
    }
    rows.push(row)
  }
  return { rows, survivors }
}

const code = (text) => {
  const short = text.length > 90 ? `${text.slice(0, 87)}…` : text
  return `\`${short.replaceAll('|', '\\|').replaceAll('`', '´')}\``
}

const percent = (part, whole) => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`)

const total = (rows, field) => rows.reduce((sum, row) => sum + row[field], 0)

const tableOf = ({ rows, reasonOf }) => {
  const isEquivalent = (survivor) => reasonOf(survivor)?.equivalent === true
  const counted = rows.map((row) => {
    const equivalent = row.alive.filter(isEquivalent).length
    return { ...row, equivalent, left: row.alive.length - equivalent, caught: row.killed + row.stopped }
  })
  const line = (name, row) =>
    `| ${name} | ${row.caught} | ${row.left} | ${row.equivalent} | ${row.refused} | ${row.ignored} | ${percent(row.caught, row.caught + row.left)} |`
  const sums = Object.fromEntries(
    ['caught', 'left', 'equivalent', 'refused', 'ignored'].map((field) => [field, total(counted, field)])
  )
  return {
    sums,
    text: [
      '| file | killed | alive | equivalent | refused by the compiler | static | killed of those that are not equivalent |',
      '|---|---|---|---|---|---|---|',
      ...counted.map((row) => line(row.path.replace('src/core/', ''), row)),
      line('**all**', sums)
    ].join('\n')
  }
}

const listOf = ({ survivors, reasonOf, reasons }) =>
  Object.entries(reasons)
    .map(([name, reason]) => [reason, survivors.filter((each) => reasonOf(each)?.name === name)])
    .filter(([, those]) => those.length > 0)
    .map(([{ text, equivalent }, those]) =>
      [
        `**${equivalent ? 'Equivalent' : 'Alive'}, ${those.length}:** ${text}`,
        '',
        ...those.map(
          ({ file, line, from, to }) =>
            `- ${file.replace('src/core/', '')}:${line} ${code(from)} → ${code(to === '' ? 'nothing' : to)}`
        )
      ].join('\n')
    )
    .join('\n\n')

const replaceBetween = (text, name, content) => {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const start = text.indexOf(open)
  const end = text.indexOf(close)
  if (start < 0 || end < 0) throw new Error(`docs/explanation/proof.md has no ${open} … ${close}`)
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(end)}`
}

const { reasons, survivors: known } = JSON.parse(read(join(root, 'tools/mutation/survivors.json')))
const names = new Map(known.map((each) => [keyOf(each), each.why]))
const reasonOf = (survivor) => {
  const name = names.get(keyOf(survivor))
  return name === undefined ? undefined : { name, ...reasons[name] }
}

const { rows, survivors } = count(readResults())
const unexplained = survivors.filter((each) => reasonOf(each) === undefined)
const alive = new Set(survivors.map(keyOf))
const core = readdirSync(join(root, 'src/core')).map((name) => `src/core/${name}`)
const faults = [
  ...rows
    .filter(({ isCurrent }) => !isCurrent)
    .map(({ path }) => `${path} has changed since its mutants were tried`),
  ...core.filter((path) => !rows.some((row) => row.path === path)).map((path) => `${path} was never tried`),
  ...unexplained.map(({ file, line, from, to }) => `${file}:${line}: no reason for ${from} → ${to}`),
  ...known
    .filter((each) => !alive.has(keyOf(each)))
    .map((each) => `a reason for what is not alive: ${keyOf(each)}`),
  ...known.filter(({ why }) => reasons[why] === undefined).map(({ why }) => `no reason is called ${why}`)
]
const table = tableOf({ rows, reasonOf })

if (process.argv.includes('--list')) {
  const plain = unexplained.map(({ line: _line, ...survivor }) => ({ ...survivor, why: '' }))
  console.log(plain.map((each) => JSON.stringify(each)).join(',\n'))
} else {
  for (const fault of faults) console.log(fault)
  const { caught, left, equivalent } = table.sums
  console.log(
    `${caught} killed, ${left} alive, ${equivalent} equivalent: ${percent(caught, caught + left)}; ${faults.length} faults`
  )
}
if (process.argv.includes('--write')) {
  const withTable = replaceBetween(read(page), 'mutants', table.text)
  writeFileSync(page, replaceBetween(withTable, 'survivors', listOf({ survivors, reasonOf, reasons })))
}
process.exitCode = faults.length === 0 ? 0 : 1
