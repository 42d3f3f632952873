/**
 * What does a host's own wire type mean?
 *
 * Law: only this file turns a declaration, `{ acme_call: 'call' }`, into rules. A dialect's own types win: a host
 * cannot change what they mean, and an attempt is reported at the first item of such a type. A declared call brings its
 * output type along, so that a closing that is written can be read back.
 */
import type { Extension } from '../../ports/dialect.js'
import { readingOfKind, type TypeRule, type TypeTable } from './rules.js'

/** A table with a host's types in it. */
export interface Extended {
  readonly types: TypeTable
  /** The output type with which a host's own call type is closed. */
  readonly answers: ReadonlyMap<string, string>
  /** Declared types that the dialect knows already and keeps. */
  readonly refused: ReadonlySet<string>
}

const familyOf = (type: string): string => type.replace(/_(output|result)$/, '')

const ruleOf = (type: string, extension: Extension): TypeRule => {
  const given: TypeRule = typeof extension === 'string' ? { kind: extension } : extension
  const note = 'declared by the host'
  if (given.selfContained === true) return { ...readingOfKind[given.kind], status: 'hosted', ...given, note }
  const family = given.kind === 'call' || given.kind === 'output' ? { namespace: familyOf(type) } : {}
  return { ...family, ...readingOfKind[given.kind], ...given, note }
}

/** Adds a host's types to a table. Complexity: linear in both. */
export const extend = (own: Extended, declared: Readonly<Record<string, Extension>>): Extended => {
  const types = new Map(own.types)
  const answers = new Map(own.answers)
  const refused = new Set(own.refused)
  const outputs = new Map<string, string>()
  const calls: Array<readonly [string, TypeRule]> = []
  for (const type of Object.keys(declared)) {
    const extension = declared[type]
    if (extension === undefined) continue
    if (own.types.has(type)) {
      refused.add(type)
      continue
    }
    const rule = ruleOf(type, extension)
    types.set(type, rule)
    if (rule.kind === 'output' && rule.namespace !== undefined) outputs.set(rule.namespace, type)
    if (rule.kind === 'call' && rule.selfContained !== true) calls.push([type, rule])
  }
  for (const [type, rule] of calls) {
    const declaredOutput = rule.namespace === undefined ? undefined : outputs.get(rule.namespace)
    const output = declaredOutput ?? `${type}_output`
    answers.set(type, output)
    if (!types.has(output)) {
      const namespace = rule.namespace === undefined ? {} : { namespace: rule.namespace }
      types.set(output, {
        kind: 'output',
        ...readingOfKind.output,
        ...namespace,
        note: 'brought along by its call'
      })
    }
  }
  return { types, answers, refused }
}
