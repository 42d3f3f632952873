/**
 * What is measured on a turn, and is its answer right?
 *
 * Law: each case is made for one turn, checks its own answer once and throws when it is wrong, and is then an act
 * that can be called again and again. It uses the built package only.
 */
import {
  accepted,
  acknowledge,
  associateReasoning,
  audit,
  extendTurn,
  open,
  orThrow,
  planSave,
  planTurn,
  rejected,
  repair,
  saveTurn,
  trackTurn
} from '../dist/index.js'
import { responses } from '../dist/dialects/responses.js'
import { floor } from './floor.mjs'
import { toResponses } from './responses-items.mjs'
import { tear } from './shapes.mjs'

const expect = (name, actual, expected) => {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${name}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`)
}

const turn = 'chat-1/1'
const rejection = rejected('message')

const floorCase = (items) => {
  expect('floor', floor(items).length, items.length)
  return () => floor(items)
}

const plan = (question, expected) => {
  const answer = orThrow(planSave(question))
  expect(
    `planSave ${question.outcome.kind}`,
    { writes: answer.writes.length, withheld: answer.after.withheld, settled: answer.after.settled },
    expected
  )
  return () => planSave(question)
}

const planAccepted = (items) =>
  plan({ turn, items, outcome: accepted }, { writes: items.length, withheld: [], settled: items.length })

const planRejected = (items) =>
  plan(
    { turn, items, outcome: rejection },
    { writes: items.length - 1, withheld: [items.length - 1], settled: items.length }
  )

/** The everyday save: the work of the turn was saved while it ran, and is found again before the rest is judged. */
const planOpen = (items) => {
  const work = items.slice(0, -1)
  const question = { turn, items: work, outcome: open() }
  const answer = orThrow(planSave(question))
  expect('planSave open', [answer.writes.length, answer.after.withheld], [work.length, []])
  return () => planSave(question)
}

const planResumed = (items) => {
  const half = items.slice(0, Math.floor(items.length / 2))
  const before = orThrow(planSave({ turn, items: half, outcome: open() }))
  const progress = JSON.parse(JSON.stringify(before.after))
  return plan(
    { turn, items, outcome: rejection, progress },
    { writes: items.length - 1 - progress.settled, withheld: [items.length - 1], settled: items.length }
  )
}

/** Every item comes alone and is saved before the next; the last save is that of the rejected turn. */
const growTurn = (items) => {
  let tracker = orThrow(trackTurn({ turn }))
  let writes = 0
  for (let position = 0; position < items.length; position += 1) {
    tracker = extendTurn(tracker, [items[position]])
    const outcome = position === items.length - 1 ? rejection : open()
    const step = orThrow(planTurn(tracker, outcome))
    writes += step.writes.length
    tracker = orThrow(acknowledge(tracker, step))
  }
  return { writes, progress: tracker.progress }
}

const grow = (items) => {
  const { writes, progress } = growTurn(items)
  expect('a growing turn', [writes, progress.withheld], [items.length - 1, [items.length - 1]])
  return () => growTurn(items)
}

const associate = (items) => {
  const { owner } = associateReasoning({ items })
  const thoughts = items.filter(({ kind }) => kind === 'reasoning').length
  const owned = owner.every((position) => ['message', 'call'].includes(items[position]?.kind))
  expect('associateReasoning', [owner.length, owned], [thoughts, true])
  return () => associateReasoning({ items })
}

const save = (items) => {
  const raws = toResponses(items)
  const question = { dialect: responses, turn, items: raws, outcome: rejection }
  const answer = orThrow(saveTurn(question))
  const withheld = new Set(answer.progress.withheld)
  const kept = raws.filter((_, position) => !withheld.has(position))
  expect('saveTurn', [withheld.has(items.length - 1), answer.items.length], [true, kept.length])
  expect(
    'saveTurn, items',
    answer.items.every((raw, index) => raw === kept[index]),
    true
  )
  return () => saveTurn(question)
}

const auditTorn = (items) => {
  const torn = tear(items)
  const { violations } = audit({ items: torn, profile: 'responses' })
  const orphans = violations.filter(({ rule }) => rule === 'orphan-call').length
  expect('audit', orphans, items.length - torn.length)
  return () => audit({ items: torn, profile: 'responses' })
}

const repairTorn = (items) => {
  const torn = tear(items)
  const { edits, remaining } = repair({ items: torn, profile: 'responses' })
  const closed = edits.filter((edit) => 'close' in edit).length
  expect('repair', [closed, remaining.length], [items.length - torn.length, 0])
  return () => repair({ items: torn, profile: 'responses' })
}

/** What is measured in one go: the floor, and everything that is compared with it. */
export const planCases = {
  floor: floorCase,
  accepted: planAccepted,
  rejected: planRejected,
  open: planOpen,
  resumed: planResumed
}

/** Measured one by one, each beside one plan of the rejected turn. */
export const otherCases = {
  grow,
  associate,
  'save-turn': save,
  audit: auditTorn,
  repair: repairTorn
}
