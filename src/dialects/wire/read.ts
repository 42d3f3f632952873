/**
 * Which item does a raw object become under the rule of its type?
 *
 * Law: the only interpreter of `TypeRule`. It sees the fields that a dialect has found and checked, never their
 * spelling. Constant work per item.
 *
 * Rules: ITEM-5, ITEM-9, PAIR-4.
 */
import type { Item } from '../../core/item.js'
import { callKey, nameOf, type Draft, type Wire } from './decode.js'
import { complain, learn, type Memory } from './memory.js'
import type { JoinField, TypeRule, TypeTable } from './rules.js'

/** The fields of a raw item that can matter, whatever they are called on the wire. */
export interface Fields {
  /** The wire type by which the item is looked up. */
  readonly type: string | undefined
  /** The object that holds the payload. */
  readonly body: Wire
  readonly id: string | undefined
  readonly callId: string | undefined
  readonly approvalRequestId: string | undefined
  readonly status: string | undefined
  readonly role: string | undefined
  /** Call id of the program that made this call. */
  readonly program: string | undefined
  readonly execution: string | undefined
  /** Where a shell runs: `local`, or a container. */
  readonly environment: string | undefined
  /** What the SDK itself says of an output. */
  readonly refused: boolean
  /** Whether reasoning carries what a provider that stores nothing needs; undefined where the format does not say. */
  readonly sealed: boolean | undefined
  /** How the call id is spelled, for messages. */
  readonly callIdName: string
}

const joinOf = (fields: Fields, join: ReadonlyArray<JoinField>): readonly [string, JoinField] | undefined => {
  for (const field of join) {
    const value = field === 'call-id' ? fields.callId : field === 'id' ? fields.id : fields.approvalRequestId
    if (value !== undefined) return [value, field]
  }
  return undefined
}

const roleOrigins: ReadonlyMap<string, 'user' | 'model'> = new Map([
  ['user', 'user'],
  ['system', 'user'],
  ['developer', 'user'],
  ['assistant', 'model']
])

const applyStatus = (draft: Draft, fields: Fields, rule: TypeRule): void => {
  const status = fields.status
  switch (rule.status) {
    case 'streamed':
      if (draft.origin !== 'user' && (status === 'in_progress' || status === 'incomplete'))
        draft.partial = true
      return
    case 'call':
      if (status === 'incomplete') draft.partial = true
      else if (status === 'in_progress') {
        if (rule.isWhole?.(fields.body) === true) draft.execution = 'running'
        else draft.partial = true
      }
      return
    case 'hosted':
      if (
        status !== undefined &&
        status !== 'completed' &&
        status !== 'failed' &&
        rule.hasResult?.(fields.body) !== true
      ) {
        draft.partial = true
      }
      return
    case 'output':
      if (fields.refused) draft.execution = 'denied'
      else if (status === 'in_progress') draft.execution = 'pending'
      else if (status === 'incomplete') draft.execution = 'interrupted'
      else if (status === 'failed') draft.execution = 'failed'
      return
    case undefined:
      return
  }
}

const isServerSearch = (fields: Fields): boolean =>
  fields.execution === undefined ? fields.callId === undefined : fields.execution === 'server'

const joinOutput = (
  draft: Draft,
  [name, field]: readonly [string, JoinField],
  rule: TypeRule,
  memory: Memory
): void => {
  const callId = field === 'id' ? (memory.callIds.get(name) ?? name) : name
  draft.callId = callId
  let isProvided = memory.calls.get(callKey(draft.namespace, callId))
  if (isProvided === undefined && rule.answersAlso !== undefined) {
    for (const namespace of rule.answersAlso) {
      isProvided = memory.calls.get(callKey(namespace, callId))
      if (isProvided === undefined) continue
      draft.namespace = namespace
      break
    }
  }
  if (rule.origin === undefined && isProvided === true) draft.origin = 'model'
}

const rememberCall = (draft: Draft, callId: string, fields: Fields, rule: TypeRule, memory: Memory): void => {
  if (draft.selfContained === true) return
  learn(memory, memory.calls, callKey(draft.namespace, callId), draft.executor === 'provider')
  if (fields.id !== undefined && rule.join?.includes('id') === true)
    learn(memory, memory.callIds, fields.id, callId)
}

const readRole = (draft: Draft, fields: Fields, rule: TypeRule, memory: Memory, path: string): boolean => {
  const origin = fields.role === undefined ? undefined : roleOrigins.get(fields.role)
  if (origin === 'user' && rule.origin === undefined) draft.origin = 'user'
  if (fields.role === 'system' || fields.role === 'developer') draft.role = 'system'
  if (origin !== undefined || rule.by === 'optional-role') return true
  complain(
    memory,
    'unclassified',
    `${path}.role`,
    'expected one of user, system, developer, assistant; the item is read as unclassified'
  )
  return false
}

/** An item that cannot be placed; its id is kept, so that it can be found. */
export const unclassifiedItem = (id: string | undefined): Item =>
  id === undefined ? { kind: 'unclassified' } : { kind: 'unclassified', id }

const fixedNames = [
  'origin',
  'namespace',
  'executor',
  'selfContained',
  'execution',
  'partial',
  'parent',
  'response',
  'role',
  'signature',
  'requiresReasoning',
  'run',
  'sequence'
] as const

interface FixedField {
  readonly name: (typeof fixedNames)[number]
  readonly value: unknown
}

/** The fields that every item of a rule has: most rules have two or three of the names. */
const fixedOf = new WeakMap<TypeRule, ReadonlyArray<FixedField>>()

const listFixed = (rule: TypeRule): ReadonlyArray<FixedField> => {
  const known = fixedOf.get(rule)
  if (known !== undefined) return known
  const fixed = fixedNames
    .filter((name) => rule[name] !== undefined)
    .map((name) => ({ name, value: rule[name] }))
  fixedOf.set(rule, fixed)
  return fixed
}

// A copy of one object for all items of a rule is slower by far, and so is reading what it becomes.
const fixedFields = (rule: TypeRule): Draft => {
  const draft: Record<string, unknown> & { kind: TypeRule['kind'] } = { kind: rule.kind }
  for (const { name, value } of listFixed(rule)) draft[name] = value
  return draft
}

/** Reads a raw item under the rule of its type. Rules: ITEM-5, ITEM-9. Complexity: constant. */
export const readByRule = (fields: Fields, rule: TypeRule, memory: Memory, path: string): Item => {
  const draft = fixedFields(rule)
  if ((rule.by === 'role' || rule.by === 'optional-role') && !readRole(draft, fields, rule, memory, path)) {
    return unclassifiedItem(fields.id)
  }
  if (rule.by === 'environment' && fields.environment !== undefined && fields.environment !== 'local') {
    draft.executor = 'provider'
  }
  if (rule.by === 'search' && isServerSearch(fields)) {
    if (rule.kind === 'call') draft.executor = 'provider'
    else draft.origin = 'model'
  }
  if (rule.kind === 'call' && fields.program !== undefined) draft.parent = fields.program
  const join = rule.join === undefined ? undefined : joinOf(fields, rule.join)
  if (fields.id !== undefined && join?.[1] !== 'id' && rule.idNamesCall !== true) draft.id = fields.id
  applyStatus(draft, fields, rule)
  if (rule.kind === 'reasoning' && fields.sealed !== undefined)
    draft.signature = fields.sealed ? 'present' : 'missing'
  if (join !== undefined) {
    draft.callId = join[0]
    if (rule.kind === 'call') rememberCall(draft, join[0], fields, rule, memory)
    if (rule.kind === 'output') joinOutput(draft, join, rule, memory)
  } else if (rule.join !== undefined && rule.selfContained !== true && rule.namespace !== 'tool-search') {
    const name = rule.join[0] === 'id' ? 'id' : fields.callIdName
    if (rule.kind === 'call') {
      complain(
        memory,
        'missing-call-id',
        `${path}.${name}`,
        'expected a call id; the call is read as unclassified'
      )
      return unclassifiedItem(fields.id)
    }
    complain(
      memory,
      'missing-call-id',
      `${path}.${name}`,
      `expected a call id; the ${rule.kind} answers nothing`
    )
  }
  return draft as Item
}

/** Looks up the rule of a type; reports and answers nothing when there is none. */
export const findRule = (
  type: string | undefined,
  types: TypeTable,
  memory: Memory,
  path: string
): TypeRule | undefined => {
  const rule = type === undefined ? undefined : types.get(type)
  if (rule === undefined) {
    complain(
      memory,
      'unclassified',
      `${path}.type`,
      type === undefined
        ? 'expected a type or a role; the item is read as unclassified'
        : `expected a known type, found ${nameOf(type)}; the item is read as unclassified`
    )
  }
  return rule
}
