/**
 * Anything that plans, in the form in which it is checked: entries are numbers, lists are made when they are needed.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Item } from '../../../src/core/item.js'
import type { Entries, Entry } from '../../../src/core/entries.js'
import type { EndedOutcome } from '../../../src/core/outcome.js'
import { planSave, type SavePlan } from '../../../src/core/plan.js'
import { type PlanQuestion } from '../../../src/core/question.js'
import type { Policy } from '../../../src/core/policy.js'
import type { Progress } from '../../../src/core/progress.js'
import { selectItems } from '../../../src/core/select.js'

/** Eight times the position, plus the form. */
export const Form = { plain: 0, stripped: 1, redacted: 2, interrupted: 4, skipped: 5, denied: 6 } as const

export const positionOf = (code: number): number => code >> 3
export const formOf = (code: number): number => code & 7
export const isClosing = (code: number): boolean => (code & 4) !== 0

const closings: Readonly<Record<string, number>> = {
  interrupted: Form.interrupted,
  skipped: Form.skipped,
  denied: Form.denied
}

export const codeOf = (entry: Entry): number => {
  if ('close' in entry) return entry.close * 8 + (closings[entry.as] as number)
  return (
    entry.position * 8 + (entry.stripId === true ? Form.stripped : entry.redact === true ? Form.redacted : 0)
  )
}

export const entryOf = (code: number): Entry => {
  const position = positionOf(code)
  switch (formOf(code)) {
    case Form.stripped:
      return { position, stripId: true }
    case Form.redacted:
      return { position, redact: true }
    case Form.interrupted:
      return { close: position, as: 'interrupted' }
    case Form.skipped:
      return { close: position, as: 'skipped' }
    case Form.denied:
      return { close: position, as: 'denied' }
    default:
      return { position }
  }
}

const codesOf = (entries: Entries): Array<number> => {
  const codes: Array<number> = []
  for (let index = 0; index < entries.length; index += 1) codes.push(codeOf(entries.at(index) as Entry))
  return codes
}

export interface Plan {
  readonly replaces: ReadonlyArray<number>
  readonly writes: ReadonlyArray<number>
  readonly from: number | null
  readonly after: Progress
  readonly operation: string
  readonly unprotected: () => ReadonlyArray<number>
  readonly irrevocable: ReadonlyArray<number>
  readonly late: ReadonlyArray<number>
  /** Outputs that came too late for their closing. */
  readonly lateOutputs: () => ReadonlyArray<number>
  readonly verdicts: () => ReadonlyArray<string>
}

export type Answer = { readonly plan: Plan } | { readonly error: string }

export interface Planner {
  readonly plan: (question: PlanQuestion) => Answer
  readonly select?: (
    items: ReadonlyArray<Item>,
    outcome: EndedOutcome,
    policy: Policy
  ) => ReadonlyArray<number>
  /** Whether it is the library itself, so that its incremental planner is compared with it. */
  readonly isLibrary?: true
}

/** The progress with its lists made, so that nothing of the plan is kept alive by it. */
const plainProgress = (after: Progress): Progress => ({
  turn: after.turn,
  revision: after.revision,
  settled: after.settled,
  final: after.final,
  sealed: after.sealed,
  withheld: after.withheld,
  ahead: after.ahead,
  closed: after.closed,
  redacted: after.redacted,
  written: after.written,
  edge: after.edge
})

const noneOf = (): ReadonlyArray<never> => []

/** The plan without the lists that are made from the whole turn. */
export const withoutLists = (plan: Plan): Plan => ({
  ...plan,
  unprotected: noneOf,
  lateOutputs: noneOf,
  verdicts: noneOf
})

export const readPlan = (plan: SavePlan): Plan => ({
  replaces: codesOf(plan.replaces),
  writes: codesOf(plan.writes),
  from: plan.from,
  after: plainProgress(plan.after),
  operation: plan.operation,
  unprotected: () => plan.unprotected,
  irrevocable: plan.irrevocable,
  late: plan.late,
  lateOutputs: () =>
    plan.notices.flatMap((notice) =>
      notice.kind === 'late-output' && notice.position !== undefined ? [notice.position] : []
    ),
  verdicts: () => Array.from(plan.decisions, (decision) => decision.verdict)
})

/** The library. */
export const library: Planner = {
  isLibrary: true,
  plan: (question) => {
    const answer = planSave(question)
    return E.isLeft(answer) ? { error: answer.left.kind } : { plan: readPlan(answer.right) }
  },
  select: (items, outcome, policy) => {
    const { keep, redact } = selectItems({ items, outcome, policy })
    return [...keep, ...redact].sort((left, right) => left - right)
  }
}
