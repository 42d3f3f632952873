/**
 * What a provider demands of a stored history, as data.
 *
 * Law: a provider is a record of named values. No rule may ask for a provider's name; `history.ts`, `place.ts`,
 * `audit.ts` and `repair.ts` read the fields. It knows no item.
 *
 * Rules: AUDIT-2, AUDIT-3.
 */
import { type InvalidInput, invalidInput } from './error.js'

/** What one provider demands. A new provider is a new record: `{ ...profiles.responses, reasoning: 'refused' }`. */
export interface Profile {
  /** Two waiting calls may not share a key, or they are answered in the order in which they were made. */
  readonly pairing: 'by-id' | 'by-occurrence'
  /** Outputs a call may have. */
  readonly maximumOutputs: 1 | 'many'
  /**
   * Where the outputs of a call must stand: anywhere behind it; before the next user input; directly behind the
   * model's message that holds the call; directly behind the whole response that holds it.
   */
  readonly adjacency: 'free' | 'turn' | 'message' | 'response'
  /** Whether two of the model's messages with nothing between them count as one. */
  readonly neighbours: 'merged' | 'apart'
  /** Whether a message may stand behind an answered call in one message of the model. */
  readonly order: 'free' | 'calls-last'
  /** What the history must begin with; instructions and a compaction aside. */
  readonly firstRole: 'any' | 'user'
  /** What may follow the outputs while a call that the provider runs itself is still unanswered. */
  readonly openProviderCall: 'free' | 'outputs-only'
  /** Whether an unanswered call is excused once its approval has been answered. */
  readonly approvedCalls: 'owed' | 'excused'
  /** What a repair does with an unanswered call. A window cut out of a longer history drops: the answer lies outside. */
  readonly orphanCall: 'close' | 'drop'
  /** Whether a call that is dropped takes the other calls of its response with it. */
  readonly parallel: 'per-pair' | 'all-or-none'
  /** Which model items reasoning belongs to: the next one, all up to the next reasoning, or none but itself. */
  readonly association: 'next' | 'segment' | 'self'
  /** Whether reasoning and what it belongs to are tied by their ids: both keep them, or neither. */
  readonly partners: 'by-place' | 'by-id'
  /** Whether reasoning is optional, demanded, or refused. */
  readonly reasoning: 'optional' | 'with-calls' | 'first-in-last-turn' | 'refused'
  /**
   * What a signature vouches for: nothing that is checked; the next item; its run of reasoning and its place in the
   * response; the first call of each step; everything before it.
   */
  readonly signatureScope: 'none' | 'next' | 'segment' | 'step' | 'prefix'
}

const neutral: Profile = {
  pairing: 'by-id',
  maximumOutputs: 1,
  adjacency: 'free',
  neighbours: 'merged',
  order: 'free',
  firstRole: 'any',
  openProviderCall: 'free',
  approvedCalls: 'owed',
  orphanCall: 'close',
  parallel: 'per-pair',
  association: 'next',
  partners: 'by-place',
  reasoning: 'optional',
  signatureScope: 'none'
}

const responses: Profile = { ...neutral, partners: 'by-id' }

const anthropic: Profile = {
  ...neutral,
  adjacency: 'message',
  order: 'calls-last',
  firstRole: 'user',
  openProviderCall: 'outputs-only',
  association: 'segment',
  signatureScope: 'segment'
}

/** Names of the records that are kept here. */
export type ProfileName =
  | 'neutral'
  | 'responses'
  | 'responses-stateless'
  | 'chat-completions'
  | 'anthropic'
  | 'anthropic-preserved'
  | 'gemini'
  | 'gemini-2.5'
  | 'ai-sdk'

const gemini: Profile = {
  ...neutral,
  pairing: 'by-occurrence',
  adjacency: 'response',
  neighbours: 'apart',
  firstRole: 'user',
  parallel: 'all-or-none',
  association: 'self',
  signatureScope: 'step'
}

/**
 * The providers that are known. `responses-stateless` stores nothing at the provider, so reasoning must carry its
 * encrypted content; `anthropic-preserved` binds thinking to everything before it; `gemini-2.5` sends signatures too,
 * and refuses nothing for the lack of one.
 */
export const profiles: { readonly [N in ProfileName]: Profile } = {
  neutral,
  responses,
  'responses-stateless': { ...responses, signatureScope: 'next' },
  'chat-completions': { ...neutral, adjacency: 'message', neighbours: 'apart', association: 'segment' },
  anthropic,
  'anthropic-preserved': { ...anthropic, signatureScope: 'prefix' },
  gemini,
  'gemini-2.5': { ...gemini, signatureScope: 'none' },
  'ai-sdk': { ...neutral, adjacency: 'turn', approvedCalls: 'excused', association: 'segment' }
}

/** Every field with its values, the neutral one first: for validation, documentation and generators. */
export const profileValues: { readonly [F in keyof Profile]: ReadonlyArray<Profile[F]> } = {
  pairing: ['by-id', 'by-occurrence'],
  maximumOutputs: [1, 'many'],
  adjacency: ['free', 'turn', 'message', 'response'],
  neighbours: ['merged', 'apart'],
  order: ['free', 'calls-last'],
  firstRole: ['any', 'user'],
  openProviderCall: ['free', 'outputs-only'],
  approvedCalls: ['owed', 'excused'],
  orphanCall: ['close', 'drop'],
  parallel: ['per-pair', 'all-or-none'],
  association: ['next', 'segment', 'self'],
  partners: ['by-place', 'by-id'],
  reasoning: ['optional', 'with-calls', 'first-in-last-turn', 'refused'],
  signatureScope: ['none', 'next', 'segment', 'step', 'prefix']
}

/**
 * What is wrong with a profile that comes from outside, such as a file; undefined when nothing is.
 *
 * Complexity: constant. Rules: AUDIT-2.
 *
 * @example
 * checkProfile('gemini') // => undefined
 * checkProfile({ reasoning: 'loud' })?.path // => 'profile.reasoning'
 */
export const checkProfile = (profile: unknown): InvalidInput | undefined => {
  const names = Object.keys(profiles)
  if (typeof profile === 'string' && names.includes(profile)) return undefined
  if (typeof profile !== 'object' || profile === null || Array.isArray(profile))
    return invalidInput('profile', `one of ${names.join(', ')}, or an object with the fields that differ`)
  const values: Readonly<Record<string, ReadonlyArray<unknown>>> = profileValues
  const given = profile as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given)) {
    const path = `profile.${name}`
    if (!Object.hasOwn(values, name)) {
      const known = Object.keys(values).join(', ')
      return invalidInput(path, `absent: there is no such field; the fields are ${known}`)
    }
    const allowed = values[name] as ReadonlyArray<unknown>
    if (!allowed.includes(given[name])) return invalidInput(path, `one of ${allowed.join(', ')}`)
  }
  return undefined
}

/**
 * The record kept under a name, or a record whose absent fields are the neutral ones.
 *
 * Errors: what `checkProfile` finds is a slip of the program and is thrown: an `Error` whose `cause` is the
 * `invalid-input` error. Rules: AUDIT-2.
 *
 * @example
 * profileOf({ reasoning: 'refused' }).adjacency // => 'free'
 */
export const profileOf = (profile: ProfileName | Partial<Profile>): Profile => {
  const problem = checkProfile(profile)
  if (problem !== undefined) throw new Error(problem.message, { cause: problem })
  return typeof profile === 'string' ? profiles[profile] : { ...neutral, ...profile }
}
