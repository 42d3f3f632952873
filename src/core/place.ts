/**
 * Where outputs and closings stand beside their calls.
 *
 * Law: only this file decides the order of a repaired history. One pass lays the items down again: a group is what
 * counts as one message (or one response) of the model, and when it ends, the answers of its calls follow. What
 * stays in the way of nobody stays where it was. It drops nothing. Linear, apart from sorting positions.
 *
 * Rules: AUDIT-19, AUDIT-20, REPAIR-13 to REPAIR-16.
 */
import { type History, isModel, keyOf } from './history.js'
import type { Item, ItemFields } from './item.js'
import { Flag, Role } from './roles.js'
import { NONE } from './structure.js'

/** What a repair adds to the question; an audit only leaves out what is gone. */
export interface Answers {
  /** Calls that get a closing. */
  readonly closing: ReadonlySet<number>
  /** Calls whose real output stands before them, and that output. */
  readonly early: ReadonlyMap<number, number>
  /** Calls that may not come before the answer of another one with their key, and that other one. */
  readonly behind: ReadonlyMap<number, number>
  /** Items that are gone. */
  readonly gone: Pick<ReadonlySet<number>, 'has'>
}

/** The order of the history; a closing is −1 less the index of its call. */
export interface Placing {
  readonly order: ReadonlyArray<number>
  /** Messages that had to be laid down before calls of their own group. */
  readonly hoisted: ReadonlySet<number>
}

interface Pass {
  readonly history: History
  readonly answers: Answers
  readonly early: ReadonlySet<number>
  readonly order: number[]
  readonly placed: Uint8Array
  readonly hoisted: Set<number>
  /** Calls of the group, whose outputs follow when it ends. */
  calls: number[]
  /** Group of each call that was laid down. */
  readonly groupOf: Int32Array
  group: number
  /** Calls whose closing, or early output, is not laid down yet. */
  closings: number[]
  /** Outputs of calls that have one already and may have many. */
  further: number[]
  /** Keys of calls among them that a later call has superseded, with the response of the call. */
  superseded: Map<string, number>
  /** Responses that have started. */
  responses: number
  /** Calls, and what stands between them, that a message of the same segment may still pass. */
  held: number[]
  hoists: boolean
  /** The stretch of calls is over, but not its message: closings wait. */
  delayed: boolean
  /** Transparent items behind the last item of the group. */
  trail: number[]
  /** An output of the group was passed, which waits for the end of the group. */
  passed: boolean
  /** Transparent items behind such an output: they stay behind it, unless the group goes on. */
  behindOutputs: number[]
  /** Some call of the group has an output. */
  answered: boolean
  /** Some call of the group has an output, or waits for one legally: closings wait for the end of the group. */
  waits: boolean
  message: number | undefined
  run: string | undefined
}

/** Lays a history down again as its profile wants it. Complexity: linear, plus the sorting of outputs. */
export const placeItems = (history: History, answers: Answers): Placing => {
  const pass: Pass = {
    history,
    answers,
    early: new Set(answers.early.values()),
    order: [],
    placed: new Uint8Array(history.items.length),
    hoisted: new Set(),
    calls: [],
    groupOf: new Int32Array(history.items.length),
    group: 1,
    closings: [],
    further: [],
    superseded: new Map(),
    responses: 0,
    held: [],
    hoists: false,
    delayed: false,
    trail: [],
    passed: false,
    behindOutputs: [],
    answered: false,
    waits: false,
    message: undefined,
    run: undefined
  }
  for (let index = 0; index < history.items.length; index += 1) {
    if (pass.placed[index] === 1 || answers.gone.has(index) || pass.early.has(index)) continue
    layDown(pass, index)
  }
  endGroup(pass)
  return { order: pass.order, hoisted: pass.hoisted }
}

const isTransparent = (role: number): boolean =>
  role <= Role.pending || role === Role.approval || role === Role.fragment

const layDown = (pass: Pass, index: number): void => {
  const role = pass.history.structure.roles[index] as number
  const item: ItemFields = pass.history.items[index] as Item
  const starts = ((pass.history.structure.flags[index] as number) & Flag.starts) !== 0
  if (starts) pass.responses += 1
  if (isTransparent(role)) {
    if (starts && pass.history.profile.adjacency === 'response') endGroup(pass)
    const behind = pass.passed ? pass.behindOutputs : pass.trail
    behind.push(index)
    return
  }
  const model = role === Role.call || isModel(item)
  if (role === Role.output && !model) {
    layOutput(pass, index)
    return
  }
  if (item.run !== undefined && model) enterRun(pass, item.run)
  if (endsGroup(pass, item, role, model, starts)) endGroup(pass)
  else if (pass.closings.length > 0) layClosingsBehindCalls(pass, item, role)
  if (role === Role.call) layCall(pass, index)
  else if (role === Role.message && model && pass.hoists) hoist(pass, index)
  else {
    if (role === Role.reasoning || !model) releaseHeld(pass)
    if (role === Role.providerCall) {
      answerEarlierCalls(pass, index)
      joinGroup(pass, index)
    } else if (role === Role.selfContained) pass.groupOf[index] = pass.group
    put(pass, index)
  }
  if (model) pass.message = item.source?.message
}

/** No message holds items of two runs. */
const enterRun = (pass: Pass, run: string): void => {
  const { adjacency } = pass.history.profile
  if (pass.run !== undefined && pass.run !== run) {
    if (adjacency === 'message' || adjacency === 'response') endGroup(pass)
    else layClosings(pass)
  }
  pass.run = run
}

/** An output of the runner stays where it is, unless it must wait for the end of its response. */
const layOutput = (pass: Pass, index: number): void => {
  const { profile, links } = pass.history
  if (profile.adjacency === 'message') endGroup(pass)
  else if (profile.adjacency === 'response') {
    const call = links[index] as number
    if (call >= 0 && pass.groupOf[call] === pass.group) {
      if (links[call] !== index) pass.further.push(index)
      pass.passed = true
      return
    }
  } else layClosings(pass)
  releaseHeld(pass)
  if (pass.placed[index] === 0) put(pass, index)
}

/** Whether the group of the model is over before this item. */
const endsGroup = (pass: Pass, item: ItemFields, role: number, model: boolean, starts: boolean): boolean => {
  const { profile } = pass.history
  if (profile.adjacency === 'free') return false
  if (profile.adjacency === 'turn') return role === Role.user
  if (!model) return true
  if (profile.adjacency === 'response') return starts
  const before = pass.message
  const now = item.source?.message
  return profile.neighbours === 'apart' && before !== undefined && now !== undefined && before !== now
}

/**
 * The calls are over, the group is not: closings follow at once, unless the outputs of the group are to come. They never
 * cut a message in two, so they wait for its end.
 */
const layClosingsBehindCalls = (pass: Pass, item: ItemFields, role: number): void => {
  const { adjacency, order } = pass.history.profile
  const now = item.source?.message
  const apart = now !== undefined && pass.message !== undefined && now !== pass.message
  if (role === Role.call && !pass.delayed && !apart) return
  if (adjacency !== 'response' && now !== undefined && now === pass.message) {
    pass.delayed = true
    if (order === 'calls-last') pass.hoists = true
    return
  }
  if (hasLooseOutputs(pass)) layClosings(pass)
  else if (adjacency === 'message' && !pass.waits) endGroup(pass)
}

const layCall = (pass: Pass, index: number): void => {
  const { history, answers } = pass
  const { order } = history.profile
  answerEarlierCalls(pass, index)
  putTrail(pass)
  const answered = history.links[index] !== NONE
  if (answers.closing.has(index) || answers.early.has(index)) pass.closings.push(index)
  else pass.waits = true
  if (pass.closings.length > 0 && ((history.structure.flags[index] as number) & Flag.superseded) !== 0)
    pass.superseded.set(keyOf(history.items[index] as Item), pass.responses)
  if (answered) pass.answered = true
  joinGroup(pass, index)
  if (order === 'free') {
    put(pass, index)
    return
  }
  pass.placed[index] = 1
  pass.held.push(index)
  if (pass.answered || (pass.waits && pass.closings.length > 0)) pass.hoists = true
}

/** What waits under the key of a call is answered before it, where it may not wait beside it. */
const answerEarlierCalls = (pass: Pass, call: number): void => {
  const other = pass.answers.behind.get(call)
  if (other !== undefined) layAnswerOf(pass, other)
  if (pass.superseded.size === 0) return
  const response = pass.superseded.get(keyOf(pass.history.items[call] as Item))
  if (response === undefined || response >= pass.responses) return
  if (hasLooseOutputs(pass)) layClosings(pass)
  else endGroup(pass)
}

/** Whether outputs may stand anywhere behind their calls, as far as calls go: a group is not ended by its answers. */
const hasLooseOutputs = ({ history }: Pass): boolean =>
  history.profile.adjacency === 'free' || history.profile.adjacency === 'turn'

/** The outputs that the runner gives to the calls of a group follow it; those of the provider stand where they are. */
const joinGroup = (pass: Pass, call: number): void => {
  pass.groupOf[call] = pass.group
  const output = pass.history.links[call] as number
  if (output !== NONE && !isModel(pass.history.items[output] as Item)) pass.calls.push(call)
}

/** Before a call that shares its key with another one of its group, the other is answered. */
const layAnswerOf = (pass: Pass, other: number): void => {
  const { profile, links } = pass.history
  if (pass.groupOf[other] !== pass.group) return
  if (!hasLooseOutputs(pass)) {
    if (profile.pairing === 'by-id') endGroup(pass)
    return
  }
  layClosings(pass)
  const output = links[other] as number
  if (output !== NONE && pass.placed[output] === 0) put(pass, output)
}

/** A message passes the calls of its segment that are held back. */
const hoist = (pass: Pass, index: number): void => {
  pass.hoisted.add(index)
  pass.placed[index] = 1
  pass.order.push(index)
}

const put = (pass: Pass, index: number): void => {
  putTrail(pass)
  pass.placed[index] = 1
  if (pass.held.length > 0) pass.held.push(index)
  else pass.order.push(index)
}

const putTrail = (pass: Pass): void => {
  const target = pass.held.length > 0 ? pass.held : pass.order
  for (const index of pass.trail) target.push(index)
  for (const index of pass.behindOutputs) target.push(index)
  pass.trail = []
  pass.behindOutputs = []
  pass.passed = false
}

const releaseHeld = (pass: Pass): void => {
  for (const index of pass.held) pass.order.push(index)
  pass.held = []
  pass.hoists = false
}

/** Closings stand directly behind the calls, before what is transparent; a real output that came early stands for one. */
const layClosings = (pass: Pass): void => {
  releaseHeld(pass)
  for (const call of pass.closings) layClosing(pass, call)
  pass.closings = []
  pass.delayed = false
  pass.superseded.clear()
  putTrail(pass)
}

const layClosing = (pass: Pass, call: number): void => {
  pass.order.push(pass.answers.early.get(call) ?? -1 - call)
}

/** Takes the closings that stand behind the outputs: of calls behind an answered one with their key. */
const takeLastClosings = (pass: Pass): ReadonlyArray<number> => {
  const { items } = pass.history
  const answered = new Map<string, number>()
  for (const call of pass.calls) answered.set(keyOf(items[call] as Item), call)
  const first: number[] = []
  const last: number[] = []
  for (const call of pass.closings) {
    const isLast = (answered.get(keyOf(items[call] as Item)) ?? Infinity) < call
    if (isLast) last.push(call)
    else first.push(call)
  }
  pass.closings = first
  return last
}

/** The group is over: its closings, then its outputs in the order in which they stood. */
const endGroup = (pass: Pass): void => {
  const last = hasLooseOutputs(pass) ? [] : takeLastClosings(pass)
  const behindOutputs = pass.behindOutputs
  pass.behindOutputs = []
  layClosings(pass)
  const outputs = pass.further
  pass.further = []
  for (const call of pass.calls) {
    const output = pass.history.links[call] as number
    if (pass.placed[output] === 0) outputs.push(output)
  }
  outputs.sort((left, right) => left - right)
  for (const output of outputs) {
    pass.order.push(output)
    pass.placed[output] = 1
  }
  for (const call of last) layClosing(pass, call)
  for (const index of behindOutputs) pass.order.push(index)
  pass.calls = []
  pass.group += 1
  pass.answered = false
  pass.waits = false
  pass.message = undefined
}
