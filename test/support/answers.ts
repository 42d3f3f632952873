/**
 * One form for the answers of the library, of the oracle and of a vector, so that any two can be compared.
 *
 * What is implementation-defined (digests, wording) is left out; lists whose order means nothing are sorted.
 */
import type { OracleEntry, OracleError, OraclePlan } from './oracle.js'

export interface Answer {
  readonly change: string
  readonly replaces: ReadonlyArray<OracleEntry>
  readonly from: number | null
  readonly writes: ReadonlyArray<OracleEntry>
  readonly after: Readonly<Record<string, unknown>>
  readonly unprotected: ReadonlyArray<number>
  readonly irrevocable: ReadonlyArray<number>
  readonly late: ReadonlyArray<number>
  readonly notices: ReadonlyArray<string>
  readonly verdicts: ReadonlyArray<string>
}

export interface Failure {
  readonly error: string
}

/** The plan as `planToJSON` states it, read from JSON. */
export interface PlanDocument {
  readonly change: string
  readonly replaces: ReadonlyArray<OracleEntry>
  readonly from: number | null
  readonly writes: ReadonlyArray<OracleEntry>
  readonly after: Readonly<Record<string, unknown>>
  readonly operation: string
  readonly unprotected: ReadonlyArray<number>
  readonly irrevocable: ReadonlyArray<number>
  readonly late: ReadonlyArray<number>
  readonly notices: ReadonlyArray<{ readonly kind: string; readonly position?: number }>
  readonly decisions: ReadonlyArray<{
    readonly position: number
    readonly verdict: string
    readonly rule: string
    readonly because?: number
  }>
}

const numbers = (list: ReadonlyArray<number>): Array<number> => [...list].sort((left, right) => left - right)

const nameNotice = (notice: { readonly kind: string; readonly position?: number }): string =>
  notice.position === undefined ? notice.kind : `${notice.kind}@${notice.position}`

const plainEntry = (entry: OracleEntry): OracleEntry =>
  'close' in entry
    ? { close: entry.close, as: entry.as }
    : {
        position: entry.position,
        ...(entry.stripId === true ? { stripId: true as const } : {}),
        ...(entry.redact === true ? { redact: true as const } : {})
      }

const counted = [
  'turn',
  'revision',
  'settled',
  'final',
  'sealed',
  'withheld',
  'ahead',
  'closed',
  'redacted',
  'written'
]

const pickProgress = (progress: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(counted.map((name) => [name, progress[name]]))

export const answerOfDocument = (plan: PlanDocument): Answer => ({
  change: plan.change,
  replaces: plan.replaces.map(plainEntry),
  from: plan.from,
  writes: plan.writes.map(plainEntry),
  after: pickProgress(plan.after),
  unprotected: numbers(plan.unprotected),
  irrevocable: numbers(plan.irrevocable),
  late: numbers(plan.late),
  // What a dialect says of a field that it left out is its own, and no vector asks for it.
  notices: plan.notices
    .filter(({ kind }) => kind !== 'wrong-field')
    .map(nameNotice)
    .sort(),
  verdicts: plan.decisions.map((decision) => decision.verdict)
})

export const answerOfOracle = (plan: OraclePlan | OracleError): Answer | Failure =>
  'error' in plan
    ? { error: plan.error }
    : {
        change: plan.change,
        replaces: plan.replaces.map(plainEntry),
        from: plan.from,
        writes: plan.writes.map(plainEntry),
        after: pickProgress(plan.after as unknown as Record<string, unknown>),
        unprotected: numbers(plan.unprotected),
        irrevocable: numbers(plan.irrevocable),
        late: numbers(plan.late),
        notices: plan.notices.map(nameNotice).sort(),
        verdicts: [...plan.verdicts]
      }

export interface ExpectedPlan {
  readonly change: string
  readonly replaces?: ReadonlyArray<OracleEntry>
  readonly from: number | null
  readonly writes: ReadonlyArray<OracleEntry>
  readonly verdicts: ReadonlyArray<string>
  readonly after?: Readonly<Record<string, unknown>>
  readonly unprotected?: ReadonlyArray<number>
  readonly irrevocable?: ReadonlyArray<number>
  readonly late?: ReadonlyArray<number>
  readonly notices?: ReadonlyArray<{ readonly kind: string; readonly position?: number }>
  readonly because?: Readonly<Record<string, number>>
  readonly rulesOf?: Readonly<Record<string, string>>
}

/** What a vector expects, filled up: an absent list is empty, of the progress only the fields named are compared. */
export const answerOfExpectation = (expected: ExpectedPlan): Answer => ({
  change: expected.change,
  replaces: (expected.replaces ?? []).map(plainEntry),
  from: expected.from,
  writes: expected.writes.map(plainEntry),
  after: expected.after ?? {},
  unprotected: numbers(expected.unprotected ?? []),
  irrevocable: numbers(expected.irrevocable ?? []),
  late: numbers(expected.late ?? []),
  notices: (expected.notices ?? []).map(nameNotice).sort(),
  verdicts: expected.verdicts
})

/** An answer with only those fields of its progress that an expectation names. */
export const narrowTo = (answer: Answer, expected: Answer): Answer => ({
  ...answer,
  after: Object.fromEntries(Object.keys(expected.after).map((name) => [name, answer.after[name]]))
})
