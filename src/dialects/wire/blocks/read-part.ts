/**
 * Which item does a part become under the rule of its type?
 *
 * Law: the only interpreter of `PartRule`. It sees a part as an object with fields, never the spelling of a provider.
 * Constant work per part.
 *
 * Rules: ITEM-5, ITEM-9, BLOCK-2.
 */
import { isWire, nameOf, sortOf, type Draft, type Wire } from '../decode.js'
import { makeFieldChecker, text, textOf, type FieldChecker } from '../fields.js'
import { complain, isNews, type Memory } from '../memory.js'
import type { PartInHand, PartRule, Reading, Speaker } from './format.js'

/** A part that cannot be placed. */
export const unclassifiedPart = (
  part: PartInHand,
  reading: Reading,
  path: string,
  message: string
): Draft => {
  complain(reading.memory, 'unclassified', path, `${message}; the part is read as unclassified`)
  const draft: Draft = { kind: 'unclassified' }
  return part.speaker === 'model' ? draft : speakAs(draft, part.speaker)
}

const carriesSpeaker: ReadonlySet<string> = new Set(['message', 'compaction', 'context', 'unclassified'])

const speakAs = (draft: Draft, speaker: Speaker): Draft => {
  if (!carriesSpeaker.has(draft.kind)) return draft
  if (speaker === 'results') draft.origin ??= 'runner'
  else if (speaker !== 'model') draft.origin ??= 'user'
  if (speaker === 'system') draft.role ??= 'system'
  return draft
}

const checkers = new WeakMap<PartRule, FieldChecker>()

const checkFields = (rule: PartRule, body: Wire, memory: Memory, path: string): void => {
  let checker = checkers.get(rule)
  if (checker === undefined) {
    const names = [rule.callId, rule.id, rule.signed].filter((name) => name !== undefined)
    checker = makeFieldChecker(names.map(text))
    checkers.set(rule, checker)
  }
  checker(body, memory, path)
}

const fixedNames = [
  'origin',
  'namespace',
  'executor',
  'selfContained',
  'execution',
  'partial',
  'parent',
  'role',
  'signature',
  'requiresReasoning',
  'run',
  'sequence'
] as const

/**
 * Reads a part under a rule. `body` is the object that holds the fields of the part.
 *
 * Rules: ITEM-5, ITEM-9. Complexity: constant.
 */
export const readPartByRule = (
  part: PartInHand,
  body: Wire,
  rule: PartRule,
  reading: Reading,
  path: string = part.path
): Draft => {
  const { memory } = reading
  checkFields(rule, body, memory, path)
  const draft: Draft = { kind: rule.kind }
  for (const name of fixedNames) {
    if (rule[name] !== undefined) (draft as unknown as Record<string, unknown>)[name] = rule[name]
  }
  if ((rule.kind === 'call' || rule.kind === 'reasoning') && part.speaker !== 'model')
    return unclassifiedPart(part, reading, path, `expected a ${rule.kind} only in a message of the model`)
  if (rule.id !== undefined) {
    const id = textOf(body[rule.id])
    if (id !== undefined && id !== '') draft.id = id
  }
  if (rule.signed !== undefined) {
    const signature = textOf(body[rule.signed])
    draft.signature = signature === undefined ? 'missing' : signature === '' ? 'partial' : 'present'
  }
  if (rule.callId === undefined) return speakAs(draft, part.speaker)
  const callId = textOf(body[rule.callId])
  if (callId !== undefined) draft.callId = callId
  else if (rule.kind === 'call' && rule.selfContained !== true) {
    const where = `${path}.${rule.callId}`
    complain(memory, 'missing-call-id', where, 'expected a call id; the call is read as unclassified')
    return { kind: 'unclassified' }
  } else {
    complain(
      memory,
      'missing-call-id',
      `${path}.${rule.callId}`,
      `expected a call id; the ${rule.kind} answers nothing`
    )
  }
  return draft
}

/** Looks up the rule of a type; reports a declaration of the host that is not used. */
export const findPartRule = (type: string, path: string, reading: Reading): PartRule | undefined => {
  if (reading.refused.has(type) && isNews(reading.memory, type)) {
    const message = `${nameOf(type)} is a type of the dialect; what the host declared for it is not used`
    complain(reading.memory, 'wrong-field', path, message)
  }
  return reading.types.get(type)
}

/** Reads a part whose type is in its field `type`. */
export const readTypedPart = (part: PartInHand, reading: Reading): Draft => {
  const { value } = part.slot
  if (!isWire(value))
    return unclassifiedPart(part, reading, part.path, `expected an object, received ${sortOf(value)}`)
  const type = textOf(value['type'])
  const rule = type === undefined ? undefined : findPartRule(type, `${part.path}.type`, reading)
  if (rule !== undefined) return readPartByRule(part, value, rule, reading)
  const found = type === undefined ? 'expected a type' : `expected a known type, found ${nameOf(type)}`
  return unclassifiedPart(part, reading, `${part.path}.type`, found)
}

/** A part that is only text. */
export const readText = (part: PartInHand): Draft => speakAs({ kind: 'message' }, part.speaker)

/** Whether a text field holds words. */
export const holdsText = (value: unknown): boolean => typeof value === 'string' && value !== ''
