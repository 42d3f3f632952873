/**
 * What is decided while a turn is open, and what waits.
 *
 * Law: one position at a time gets the verdict that every ending still allowed agrees on, or `wait`. It judges with
 * the same calls and outputs as `select.ts` and adds only what an ending could still change. Complexity: constant,
 * except that under `segment` a run of reasoning looks forward to the first item that is kept.
 *
 * Rules: PLAN-2 to PLAN-9, PLAN-23.
 */
import {
  isKept,
  isNeeded,
  type Judge,
  judgeCall,
  judgeOutput,
  noteParentOf,
  sealedVerdict,
  Verdict
} from './judge.js'
import { Flag, Role } from './roles.js'
import { NONE, type Structure } from './structure.js'

/** Marks a call whose child waits, so that nobody knows yet whether it is needed. */
const DISPUTED = 2

/**
 * Marks the parents of the calls from a position on that have not been asked yet, the last one first: needed where a
 * child is decided to be kept, disputed where it waits.
 */
export const noteOpenParents = (judge: Judge, from: number): void => {
  const { needed } = judge
  if (needed === undefined) return
  while (judge.asked > from) {
    judge.asked -= 1
    const position = judge.asked
    const parent = judge.structure.parents.get(position)
    if (parent === undefined || isNeeded(judge, parent)) continue
    const verdict = judgeOpen(judge, position)
    if (verdict === Verdict.keep) noteParentOf(judge, position)
    else if (verdict === Verdict.wait) needed[parent] = DISPUTED
  }
}

/** The verdict of one position while the turn is open. */
export const judgeOpen = (judge: Judge, position: number): number => {
  const { structure, policy } = judge
  if (position < judge.low) return sealedVerdict(judge, position)
  const inPart = position >= judge.part
  if (((structure.flags[position] as number) & Flag.partial) !== 0) return Verdict.wait
  const role = structure.roles[position] as number
  switch (role) {
    case Role.marker:
      return Verdict.withhold
    case Role.user:
      return Verdict.keep
    case Role.message:
    case Role.other:
      return inPart ? Verdict.wait : Verdict.keep
    case Role.unclassified:
      return inPart && (judge.discards || policy.unclassified === 'withhold') ? Verdict.wait : Verdict.keep
    case Role.approval:
      return inPart ? judgeApproval(judge, position) : Verdict.keep
    case Role.call:
    case Role.providerCall:
    case Role.selfContained:
      return judgeOpenCall(judge, position, role)
    case Role.output:
      return judgeOpenOutput(judge, position, inPart)
    case Role.reasoning:
      return policy.association === 'next' ? judgeReasoning(judge, position) : judgeSegment(judge, position)
    default:
      return Verdict.wait
  }
}

const judgeApproval = (judge: Judge, position: number): number => {
  const call = judge.structure.links[position] as number
  if (judge.discards || call === NONE) return Verdict.wait
  return call < NONE || isKept(judgeOpen(judge, call)) ? Verdict.keep : Verdict.wait
}

/** A call in front of those that were asked may be needed by one of them: that is found out where it matters. */
const judgeOpenCall = (judge: Judge, position: number, role: number): number => {
  const verdict = judgeAskedCall(judge, position, role)
  if (verdict === Verdict.keep || position >= judge.asked) return verdict
  noteOpenParents(judge, judge.low)
  return judgeAskedCall(judge, position, role)
}

const judgeAskedCall = (judge: Judge, position: number, role: number): number => {
  const { structure, policy } = judge
  const unanswered = role === Role.call && structure.links[position] === NONE
  if (unanswered && policy.unansweredCalls === 'drop' && !isNeeded(judge, position)) {
    const superseded = ((structure.flags[position] as number) & Flag.superseded) !== 0
    const disputed = judge.needed !== undefined && judge.needed[position] === DISPUTED
    return superseded && !disputed ? Verdict.withhold : Verdict.wait
  }
  return judgeCall(judge, position, role) === Verdict.keep ? Verdict.keep : Verdict.wait
}

const judgeOpenOutput = (judge: Judge, position: number, inPart: boolean): number => {
  const call = judge.structure.links[position] as number
  if (call === NONE) return Verdict.withhold
  if (call > NONE) {
    const verdict = judgeOpen(judge, call)
    if (verdict === Verdict.wait) return Verdict.wait
    if (!isKept(judgeOutput(judge, position, call, verdict))) return Verdict.withhold
  }
  return inPart && judge.redacts ? Verdict.wait : Verdict.keep
}

/** Whether an owner may still come for reasoning at a position (PLAN-3). */
const canStillBeClaimed = (structure: Structure, position: number): boolean =>
  structure.responseStart !== NONE && position >= structure.responseStart && structure.lastUser < position

const judgeTrailing = (judge: Judge, position: number): number => {
  if (canStillBeClaimed(judge.structure, position)) return Verdict.wait
  if (judge.policy.trailingReasoning === 'drop') return Verdict.withhold
  return judge.discards ? Verdict.wait : Verdict.keep
}

const judgeReasoning = (judge: Judge, position: number): number => {
  const owner = judge.structure.links[position] as number
  if (owner === NONE) return judgeTrailing(judge, position)
  const verdict = judgeOpen(judge, owner)
  return isKept(verdict) ? Verdict.keep : verdict
}

/** A run under `segment`: kept as soon as one of its items is, withheld when none can be (PLAN-7, PLAN-9). */
const judgeSegment = (judge: Judge, position: number): number => {
  const first = judge.structure.links[position] as number
  if (first === NONE) return judgeTrailing(judge, position)
  if (first === judge.segmentOwner) return judge.segmentVerdict
  judge.segmentOwner = first
  judge.segmentVerdict = judgeOwners(judge, first)
  return judge.segmentVerdict
}

const judgeOwners = (judge: Judge, first: number): number => {
  const { structure } = judge
  let verdict: number = Verdict.withhold
  for (let next = first; next < structure.length; next += 1) {
    const role = structure.roles[next] as number
    const flags = structure.flags[next] as number
    if (role === Role.user || role === Role.reasoning || (flags & Flag.starts) !== 0) return verdict
    if ((flags & Flag.owns) === 0) continue
    const owned = judgeOpen(judge, next)
    if (owned === Verdict.keep) return Verdict.keep
    if (owned === Verdict.wait) verdict = Verdict.wait
  }
  return Verdict.wait
}
