/**
 * How is a finding in a history told?
 *
 * Law: words only. What the provider says comes from the table of refusals; where it has none for a rule, from here.
 */
import type { AuditRule } from '../core/audit.js'
import type { RepairEdit } from '../core/edits.js'
import { refusals } from './refusals.js'

const wrong: { readonly [R in AuditRule]: string } = {
  unclassified: 'Nobody knows what this is.',
  'duplicate-item': 'This id stands in the history a second time.',
  'duplicate-approval': 'One consent is asked for, or given, twice.',
  'duplicate-call-id': 'Two calls wait under one id.',
  'duplicate-output': 'A call has an output too many.',
  'orphan-output': 'There is an output without its call.',
  'orphan-call': 'There is a call that nothing answers.',
  'missing-parent': 'The program that made this call is not there.',
  'leading-item': 'A history begins with user input.',
  'interleaved-runs': 'Two runs are written into each other.',
  'intervening-item': 'Something stands between a call and its output.',
  'missing-reasoning': 'The reasoning that this item needs is not there.',
  'dangling-reasoning': 'What this reasoning belongs to is not there.',
  'signature-missing': 'A signature is not there.',
  'signature-incomplete': 'A signature was cut off.',
  'signature-stale': 'A signature was made for another place or content.'
}

/** What a provider says about a rule, in our words. */
export const tellRule = (rule: AuditRule, profile: string): string => {
  const fits = refusals.filter((refusal) => refusal.rules[0] === rule)
  const own = fits.find((refusal) => profile === refusal.profile || profile.startsWith(`${refusal.profile}-`))
  return own?.says ?? wrong[rule]
}

/** The position that an edit is about. */
export const positionOf = (edit: RepairEdit): number => {
  if ('drop' in edit) return edit.drop
  if ('stripId' in edit) return edit.stripId
  return 'move' in edit ? edit.move : edit.close
}

/** What an edit does. */
export const tellEdit = (edit: RepairEdit, placeOf: (position: number) => string): string => {
  if ('drop' in edit) return `dropped: ${edit.why}`
  if ('stripId' in edit) return `without its id: ${edit.why}`
  if ('close' in edit) return `closed: ${edit.as}`
  return edit.after === null ? 'moved to the head' : `moved behind ${placeOf(edit.after)}`
}
