/**
 * Planners with one bug each, to show that the exhaustive check can fail.
 *
 * Each is the library with its answers changed, or asked a question that is changed, in the way in which the bug
 * would change them. No switch in `src` is needed for that.
 */
import { retainByForwardScan, retainEveryReasoning } from '../../../bench/baseline/retain.js'
import { splitSave } from '../../../bench/baseline/save.js'
import { digestEdge, digestItem, policyCode } from '../../../src/core/digest.js'
import type { Item } from '../../../src/core/item.js'
import type { PlanQuestion } from '../../../src/core/question.js'
import { defaultPolicy } from '../../../src/core/policy.js'
import { type Progress, startProgress } from '../../../src/core/progress.js'
import {
  type Answer,
  Form,
  formOf,
  isClosing,
  library,
  type Plan,
  type Planner,
  positionOf
} from './planner.js'

export interface Mutant {
  readonly name: string
  /** What it does wrong, in a sentence. */
  readonly does: string
  readonly planner: Planner
  /** Letters of the turns in which it is looked for, if not those of one call. */
  readonly alphabet?: string
  /** How long a turn must be to show it, if two items are not enough. */
  readonly length?: number
}

const change = (answer: Answer, edit: (plan: Plan) => Plan): Answer =>
  'error' in answer ? answer : { plan: edit(answer.plan) }

const edited = (edit: (plan: Plan, question: PlanQuestion) => Plan): Planner => ({
  plan: (question) => change(library.plan(question), (plan) => edit(plan, question))
})

const progressOf = (question: PlanQuestion): Progress => question.progress ?? startProgress(question.turn)

const without = (list: ReadonlyArray<number>, position: number): ReadonlyArray<number> =>
  list.filter((other) => other !== position)

const including = (list: ReadonlyArray<number>, position: number): ReadonlyArray<number> =>
  [...without(list, position), position].sort((left, right) => left - right)

/** Writes a reasoning item that should be withheld, or leaves out one that should be kept. */
const flip = (plan: Plan, position: number): Plan => {
  const at = plan.writes.findIndex((code) => !isClosing(code) && positionOf(code) >= position)
  const isWritten = at >= 0 && positionOf(plan.writes[at] as number) === position
  const before = plan.writes.slice(0, at < 0 ? plan.writes.length : at)
  const behind = at < 0 ? [] : plan.writes.slice(isWritten ? at + 1 : at)
  const { after } = plan
  return {
    ...plan,
    writes: isWritten ? [...before, ...behind] : [...before, position * 8, ...behind],
    after: {
      ...after,
      withheld: isWritten ? including(after.withheld, position) : without(after.withheld, position),
      written: after.written + (isWritten ? -1 : 1)
    }
  }
}

/** The library, but for which reasoning a rejected response keeps; as long as nothing of it was saved before. */
const choosingReasoning = (retain: (items: ReadonlyArray<Item>) => ReadonlyArray<number>): Planner =>
  edited((plan, question) => {
    const { items, outcome } = question
    if (outcome.kind !== 'rejected' || plan.from === null || progressOf(question).written > 0) return plan
    const from = plan.from
    const kept = retain(items.slice(from)).map((position) => position + from)
    let changed = plan
    for (let position = from; position < items.length; position += 1) {
      if (items[position]?.kind !== 'reasoning') continue
      if (kept.includes(position) === plan.after.withheld.includes(position))
        changed = flip(changed, position)
    }
    return changed
  })

/** A progress as somebody sees it who remembers a count and takes it for a position. */
const countAsPosition = (question: PlanQuestion): PlanQuestion => {
  const { turn, revision, written } = progressOf(question)
  const { items, policy = defaultPolicy } = question
  const settled = Math.min(written, items.length)
  const digestAt = (position: number): number => digestItem(items[position] as Item)
  const edge = digestEdge(settled, () => true, digestAt, policyCode(policy))
  return { ...question, progress: { ...startProgress(turn), revision, settled, written: settled, edge } }
}

/** The bugs of the issue, in its order. */
export const seedMutants: ReadonlyArray<Mutant> = [
  {
    name: 'split save',
    does: 'writes calls and outputs first, everything else behind them',
    planner: edited((plan, { items }) => ({
      ...plan,
      writes: splitSave(plan.writes, (code) => items[positionOf(code)] as Item).flat()
    }))
  },
  {
    name: 'count as position',
    does: 'takes the number of written entries for the position up to which all is written',
    planner: { plan: (question) => library.plan(countAsPosition(question)) }
  },
  {
    name: 'forward scan that stops at any item',
    does: 'lets reasoning belong to the next item of any origin, an output included',
    planner: choosingReasoning(retainByForwardScan)
  },
  {
    name: 'every reasoning kept',
    does: 'keeps all reasoning of a rejected response as soon as one call of it is kept',
    planner: choosingReasoning(retainEveryReasoning)
  },
  {
    name: 'outputs redacted but never restored',
    does: 'leaves an output redacted that is accepted after all',
    planner: edited((plan, question) => {
      const { redacted } = progressOf(question)
      if (redacted.length === 0 || question.store === 'append') return plan
      const stays = (code: number): boolean =>
        !isClosing(code) && formOf(code) === Form.plain && redacted.includes(positionOf(code))
      const restored = plan.writes.filter(stays).map(positionOf)
      return {
        ...plan,
        writes: plan.writes.map((code) => (stays(code) ? code + Form.redacted : code)),
        after: { ...plan.after, redacted: restored.reduce(including, plan.after.redacted) }
      }
    })
  },
  {
    name: 'operation id without a turn',
    does: 'gives the first writes of two turns of one shape the same operation',
    planner: edited((plan, question) => {
      const anonymous = { ...question, turn: '', progress: { ...progressOf(question), turn: '' } }
      const other = library.plan(anonymous)
      return 'plan' in other ? { ...plan, operation: other.plan.operation } : plan
    })
  }
]

/** More bugs, so that every invariant is seen to fail. */
export const furtherMutants: ReadonlyArray<Mutant> = [
  {
    name: 'rejection ignored',
    does: 'judges a rejected turn as accepted',
    planner: edited((plan, question) => {
      if (question.outcome.kind !== 'rejected') return plan
      const accepted = library.plan({ ...question, outcome: { kind: 'accepted' } })
      return 'plan' in accepted ? { ...accepted.plan, from: plan.from } : plan
    })
  },
  {
    name: 'unprotected effects not listed',
    does: 'says of no call and no output that it is not stored yet',
    planner: edited((plan) => ({ ...plan, unprotected: () => [] }))
  },
  {
    name: 'closings forgotten',
    does: 'ends a turn and leaves unanswered calls open',
    planner: edited((plan) => ({
      ...plan,
      writes: plan.writes.filter((code) => !isClosing(code)),
      replaces: plan.replaces.filter((code) => !isClosing(code)),
      after: { ...plan.after, closed: [], written: plan.after.written - plan.after.closed.length }
    }))
  },
  {
    name: 'progress forgotten',
    does: 'plans after a restart as if nothing was stored',
    planner: {
      plan: (question) =>
        library.plan({
          ...question,
          progress: { ...startProgress(question.turn), revision: progressOf(question).revision }
        })
    }
  },
  {
    name: 'ids never given back',
    length: 3,
    does: 'leaves an item without its id when its reasoning is written later',
    planner: edited((plan) => {
      const stripped = plan.replaces.filter((code) => !isClosing(code) && formOf(code) === Form.stripped)
      return {
        ...plan,
        writes: plan.writes.map((code) =>
          stripped.includes(code + Form.stripped) ? code + Form.stripped : code
        )
      }
    })
  },
  {
    name: 'start of the rejected part lost',
    does: 'selects from the start of the last response whatever it is told',
    alphabet: 'urm',
    length: 3,
    planner: {
      plan: library.plan,
      select: (items, outcome, policy) => {
        const told = outcome.kind === 'rejected' ? { ...outcome, from: undefined } : outcome
        const { from: _, ...rest } = { from: undefined, ...told }
        return library.select?.(items, rest, policy) ?? []
      }
    }
  }
]
