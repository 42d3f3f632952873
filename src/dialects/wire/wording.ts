/**
 * What does a closing or a redaction say to the model that reads it?
 *
 * Law: only this file holds the default words. They are true whatever happened: what may have run is never called
 * undone, and nothing is called a success.
 */
import type { ClosingExecution, Wording } from '../../ports/dialect.js'

/** The words every dialect starts with; `withWording` changes them. */
export const defaultWording: Wording = {
  interrupted:
    'No result was recorded: the run was interrupted. The tool may have run, fully or in part. Check its effects before calling it again.',
  skipped: 'This call was not executed.',
  denied: 'This call was refused and not executed.',
  failed: 'This call failed and returned no result.',
  redacted: 'The tool ran. Its output was withheld by an output check.'
}

/** The words for a closing. */
export const wordsFor = (wording: Wording, as: ClosingExecution): string => wording[as]
