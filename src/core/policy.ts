/**
 * What a team may want otherwise.
 *
 * Law: every decision that can be switched has a name here and nowhere else; `select.ts` alone reads the values.
 *
 * Rules: SELECT-30 names the fields and their values.
 */

export interface Policy {
  /** Which model items reasoning belongs to: the next one, or all up to the next reasoning. */
  readonly association: 'next' | 'segment'
  /** Reasoning that no item of its response follows. */
  readonly trailingReasoning: 'drop' | 'keep'
  /** Which calls of a rejected part count as committed: every answered one, or only those that ran. */
  readonly committed: 'answered' | 'executed'
  /** Calls of an ended turn that got no output. */
  readonly unansweredCalls: 'close' | 'drop' | 'keep'
  /** Outputs of a rejected part where a tool's output was the deliverable. */
  readonly rejectedOutput: 'redact' | 'keep'
  /** Reasoning and messages that were cut off while streaming; calls never. */
  readonly partialItems: 'drop' | 'keep'
  /** A kept model item whose reasoning is not written. */
  readonly brokenContext: 'strip-id' | 'keep-id'
  /** Unclassified items of a rejected part. */
  readonly unclassified: 'withhold' | 'keep'
  /** The last response of a failed or aborted turn whose check was due. */
  readonly unjudged: 'keep' | 'withhold'
  /** What a rejected input leaves besides the input itself. */
  readonly speculative: 'committed' | 'discard'
}

/** What is right for a provider that checks ids and pairs, and for a team that must not repeat side effects. */
export const defaultPolicy: Policy = {
  association: 'next',
  trailingReasoning: 'drop',
  committed: 'answered',
  unansweredCalls: 'close',
  rejectedOutput: 'redact',
  partialItems: 'drop',
  brokenContext: 'strip-id',
  unclassified: 'withhold',
  unjudged: 'keep',
  speculative: 'committed'
}

/** The choices of the helper that turnkeep grew from: outputs verbatim, calls as they are, ids untouched. */
export const seedPolicy: Policy = {
  ...defaultPolicy,
  unansweredCalls: 'keep',
  rejectedOutput: 'keep',
  brokenContext: 'keep-id'
}

/** Every field with its values, the default first: for validation, documentation and generators. */
export const policyValues: { readonly [F in keyof Policy]: ReadonlyArray<Policy[F]> } = {
  association: ['next', 'segment'],
  trailingReasoning: ['drop', 'keep'],
  committed: ['answered', 'executed'],
  unansweredCalls: ['close', 'drop', 'keep'],
  rejectedOutput: ['redact', 'keep'],
  partialItems: ['drop', 'keep'],
  brokenContext: ['strip-id', 'keep-id'],
  unclassified: ['withhold', 'keep'],
  unjudged: ['keep', 'withhold'],
  speculative: ['committed', 'discard']
}
