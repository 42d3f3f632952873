/**
 * Figures that a fault test has counted, for `docs/explanation/reliability.md`.
 *
 * `scripts/reliability.mjs` runs the fault tests at full size and collects what they record here; otherwise the
 * tests run at a small size and record nothing.
 */
import { appendFileSync } from 'node:fs'

const file = process.env['TURNKEEP_FIGURES']

/** A size: small in `npm test`, full where figures are collected. */
export const sized = (small: number, full: number): number => (file === undefined ? small : full)

/** One row of the table: what was done, how often, and what came out. */
export const recordFigure = (figure: {
  readonly order: number
  readonly fault: string
  readonly store: string
  readonly tried: string
  readonly result: string
}): void => {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}
