/**
 * `turnkeep plan`: what would one save of a turn write, and why?
 *
 * Law: the options of this command, and the page that shows a plan. What an option means for the plan is the core's.
 */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { answerPlan, type PlanAnswer } from '../../conformance/operations/plan.js'
import { type Fields, isRecord } from '../../conformance/question.js'
import { ask, type ExitState, type Shown } from '../ask.js'
import { type Failure, failure, lineOf, plainText } from '../failure.js'
import { readDocument } from '../input.js'
import { nameItem, shortId } from '../item-words.js'
import { tellEntries, tellPositions, tellWhy } from '../plan-words.js'
import type { Terminal } from '../terminal.js'
import { addWays, isFailure, type WayOptions, wayOf } from './ways.js'

interface PlanOptions extends WayOptions {
  readonly outcome?: string
  readonly deliverable?: string
  readonly from?: number
  readonly check?: string
  readonly policy?: string | Fields
  readonly progress?: string
  readonly store?: string
  readonly turn?: string
}

const readPosition = (text: string): number => {
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError('It must be a position: a whole number from 0.')
  return Number(text)
}

const policyForm =
  'It must be default, seed, a JSON object, or pairs such as committed=executed,partialItems=keep.'

/** A preset by name, a JSON object, or pairs; what the fields may hold is checked with the question. */
export const readPolicyOption = (text: string): string | Fields => {
  const trimmed = text.trim()
  if (trimmed === 'default' || trimmed === 'seed') return trimmed
  if (trimmed.startsWith('{')) {
    try {
      const value: unknown = JSON.parse(trimmed)
      if (isRecord(value)) return value
    } catch {
      // Told below, in one sentence for every form.
    }
    throw new InvalidArgumentError(policyForm)
  }
  const pairs = trimmed.split(/[\s,]+/).map((pair) => /^([^=]+)=([^=]+)$/.exec(pair))
  const fields: Array<readonly [string, string]> = []
  for (const pair of pairs) {
    const name = pair?.[1]
    const value = pair?.[2]
    if (name === undefined || value === undefined) throw new InvalidArgumentError(policyForm)
    fields.push([name, value])
  }
  return Object.fromEntries(fields)
}

/** Which of the options that refine an outcome go with which outcome. */
const refinements: ReadonlyMap<string, ReadonlyArray<'deliverable' | 'from' | 'check'>> = new Map([
  ['accepted', []],
  ['rejected', ['deliverable', 'from']],
  ['failed', ['check']],
  ['aborted', ['check']],
  ['input-rejected', []],
  ['open', ['check']]
])

const readOutcome = (options: PlanOptions): Either<Failure, Fields> => {
  const given = (['deliverable', 'from', 'check'] as const).filter((name) => options[name] !== undefined)
  const kind = options.outcome
  const allowed = kind === undefined ? [] : (refinements.get(kind) ?? [])
  const misplaced = given.find((name) => !allowed.includes(name))
  if (misplaced !== undefined) {
    const kinds = [...refinements].filter(([, names]) => names.includes(misplaced)).map(([name]) => name)
    const expected = kinds.map((name) => `--outcome ${name}`).join(', ')
    return left(failure('usage', `--${misplaced} goes only with ${expected}`))
  }
  if (kind === undefined) return right({})
  const outcome: Record<string, unknown> = { kind }
  if (kind === 'rejected') outcome['deliverable'] = options.deliverable ?? 'message'
  if (options.from !== undefined) outcome['from'] = options.from
  if (allowed.includes('check')) outcome['check'] = options.check ?? 'none'
  return right({ outcome })
}

/** A progress, or an answer that holds one as `after`. */
const readProgress = async (file: string): Promise<Either<Failure, Fields>> => {
  const document = await readDocument(file)
  if (isLeft(document)) return document
  const value = document.right
  const progress = isRecord(value) && Object.hasOwn(value, 'after') ? value['after'] : value
  return right({ progress })
}

/** The fields of a question that the options give. */
const readOptions = async (options: PlanOptions, file: string): Promise<Either<Failure, Fields>> => {
  const outcome = readOutcome(options)
  if (isLeft(outcome)) return outcome
  if (options.progress === '-' && file === '-')
    return left(failure('usage', '--progress and the turn cannot both be read from standard input'))
  const progress = options.progress === undefined ? right({}) : await readProgress(options.progress)
  if (isLeft(progress)) return progress
  const fields: Record<string, unknown> = { ...outcome.right, ...progress.right }
  for (const name of ['policy', 'store', 'turn', 'dialect'] as const)
    if (options[name] !== undefined) fields[name] = options[name]
  return right(fields)
}

const tellChange = (answer: PlanAnswer): string => {
  if (answer.change === 'none') return 'nothing'
  const entries = tellEntries(answer.writes)
  if (answer.change === 'append') return entries
  const count = answer.replaces.length === 1 ? 'the last entry' : `the last ${answer.replaces.length} entries`
  const instead = entries === '' ? 'nothing more' : entries
  return `${instead}; in place of ${count} of this turn: ${tellEntries(answer.replaces)}`
}

const tellProgress = ({ after }: PlanAnswer, length: number): string => {
  const parts = [`revision ${after.revision}`, `${after.settled} of ${length} positions decided`]
  for (const name of ['withheld', 'ahead', 'closed', 'redacted'] as const)
    if (after[name].length > 0) parts.push(`${name} ${tellPositions(after[name])}`)
  parts.push(after.written === 1 ? '1 entry written' : `${after.written} entries written`)
  return parts.join(', ')
}

/** Decided positions that are not in the session after the plan, because the store cannot put them in order later. */
const heldBack = ({ decisions, after }: PlanAnswer): ReadonlyArray<number> => {
  const ahead = new Set(after.ahead)
  return decisions
    .filter(({ verdict }) => verdict === 'keep' || verdict === 'redact')
    .map(({ position }) => position)
    .filter((position) => position >= after.settled && !ahead.has(position))
}

const warnings = (answer: PlanAnswer): ReadonlyArray<readonly [string, string]> => {
  const found: Array<readonly [string, string]> = []
  const add = (name: string, positions: ReadonlyArray<number>, words: string): void => {
    if (positions.length > 0) found.push([name, `${tellPositions(positions)}: ${words}`])
  }
  add('held back', heldBack(answer), `decided, but nothing may pass ${answer.after.settled} (PLAN-10)`)
  add(
    'unprotected',
    answer.unprotected,
    'may have acted, and the session would not know it after a crash now'
  )
  add(
    'irrevocable',
    answer.irrevocable,
    'in the session as it should not be, and this store cannot take it back'
  )
  add('late', answer.late, 'the closing comes after its place in the session has passed')
  return found
}

/** The page that shows a plan: a row per position, then what would be written and what to know. */
export const showPlan = async ({ question, answer, terminal }: Shown<PlanAnswer>): Promise<string> => {
  const { drawTable } = await import('../table.js')
  const { paint, width } = terminal
  const { items, raws } = question.decoded
  const colours = { keep: paint.green, redact: paint.yellow, withhold: paint.red, defer: paint.cyan }
  const closed = new Set(answer.after.closed)
  const situation = {
    decisions: answer.decisions,
    isClosed: (position: number): boolean => closed.has(position)
  }
  const table = drawTable({
    columns: [
      { heading: 'position' },
      { heading: 'item' },
      { heading: 'id', paint: paint.dim },
      { heading: 'call id', paint: paint.dim },
      { heading: 'verdict', paint: (word) => colours[word as keyof typeof colours](word) },
      { heading: 'why' }
    ],
    rows: answer.decisions.map((decision) => {
      const item = items[decision.position]
      const callId = item !== undefined && 'callId' in item ? item.callId : undefined
      return [
        `${decision.position}`,
        item === undefined ? '' : nameItem(item, raws[decision.position]),
        shortId(item?.id),
        shortId(callId),
        decision.verdict,
        tellWhy(decision, situation)
      ]
    }),
    paint,
    width
  })
  const facts: Array<readonly [string, string]> = [
    ['writes', tellChange(answer)],
    ['progress', tellProgress(answer, items.length)]
  ]
  const lines = [
    ...facts.map(([name, words]) => `${paint.bold(name.padEnd(11))}  ${words}`),
    ...warnings(answer).map(([name, words]) => `${paint.yellow(name.padEnd(11))}  ${words}`),
    ...answer.notices.map(({ kind, position, message }) => {
      const place = position === undefined ? '' : `${position}: `
      return `${paint.yellow('notice'.padEnd(11))}  ${place}${kind}: ${plainText(message)}`
    })
  ]
  return `${table}\n${lines.join('\n')}\n`
}

/** Adds the command to a program. */
export const addPlan = (program: Command, terminal: Terminal, done: (state: ExitState) => void): void => {
  const command = program
    .command('plan')
    .summary('show what one save of a turn would write, and why')
    .description(
      'Shows what one save of a turn would write, and why.\n\n' +
        'The input is the whole turn: a list of items, or a question {"items": …, "outcome": …}. ' +
        'Options win over what the question says.'
    )
  addWays(command)
    .addOption(
      new Option('--outcome <kind>', 'how the turn stands (default: accepted)').choices([
        ...refinements.keys()
      ])
    )
    .addOption(
      new Option('--deliverable <kind>', 'what was rejected (default: message)').choices([
        'message',
        'output'
      ])
    )
    .addOption(
      new Option('--from <position>', 'where the rejected response starts (default: the last one)').argParser(
        readPosition
      )
    )
    .addOption(
      new Option(
        '--check <kind>',
        'what a check may still reject; after a failure, whether one was due'
      ).choices(['none', 'message', 'output', 'input', 'due'])
    )
    .addOption(
      new Option('--policy <policy>', 'default, seed, a JSON object, or field=value,…').argParser(
        readPolicyOption
      )
    )
    .option('--progress <file>', 'the progress of the last save, or the answer that holds it')
    .addOption(
      new Option('--store <kind>', 'what the store can do (default: append)').choices(['append', 'replace'])
    )
    .option('--turn <id>', 'the id of the turn')
    .action(async (file: string | undefined, options: PlanOptions) => {
      const refuse = (problem: Failure): void => {
        terminal.complain(lineOf(problem))
        done(2)
      }
      const way = wayOf(file, options, terminal)
      if (isFailure(way)) return refuse(way)
      const fields = await readOptions(options, way.file)
      if (isLeft(fields)) return refuse(fields.left)
      done(await ask({ op: 'plan', fields: fields.right, answer: answerPlan, show: showPlan }, way, terminal))
    })
}
