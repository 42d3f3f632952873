/**
 * `turnkeep pair`: which output answers which call?
 *
 * Law: the page that shows pairs.
 */
import type { Command } from 'commander'
import type { PairAnswer } from '../../core/pair.js'
import { answerPair } from '../../conformance/operations/pair.js'
import { ask, type ExitState, type Shown } from '../ask.js'
import { lineOf } from '../failure.js'
import { nameItem, shortId } from '../item-words.js'
import type { Terminal } from '../terminal.js'
import { addWays, isFailure, type WayOptions, wayOf } from './ways.js'

/** The page: a row per call and per output, in the order of the turn. */
export const showPairs = async ({ question, answer, terminal }: Shown<PairAnswer>): Promise<string> => {
  const { drawTable } = await import('../table.js')
  const { items, raws } = question.decoded
  const partners = new Map<number, string>()
  for (const [call, output] of answer.pairs) {
    partners.set(call, `answered by ${output}`)
    partners.set(output, `answers ${call}`)
  }
  for (const position of answer.unpaired) partners.set(position, 'answers no call that waits')
  const rows: Array<ReadonlyArray<string>> = []
  for (const [position, item] of items.entries()) {
    if (item.kind !== 'call' && item.kind !== 'output') continue
    const waits = item.kind === 'call' ? 'not answered' : 'answers a call of an earlier turn, or is pending'
    const alone = item.partial === true ? 'cut off' : item.kind === 'call' && item.selfContained === true
    const words = partners.get(position) ?? (alone === true ? 'carries its own result' : alone || waits)
    rows.push([`${position}`, nameItem(item, raws[position]), shortId(item.id), shortId(item.callId), words])
  }
  if (rows.length === 0) return 'no calls and no outputs\n'
  const { paint, width } = terminal
  return drawTable({
    columns: [
      { heading: 'position' },
      { heading: 'item' },
      { heading: 'id', paint: paint.dim },
      { heading: 'call id', paint: paint.dim },
      { heading: 'pair' }
    ],
    rows,
    paint,
    width
  })
}

/** Adds the command to a program. */
export const addPair = (program: Command, terminal: Terminal, done: (state: ExitState) => void): void => {
  const command = program
    .command('pair')
    .summary('show which output answers which call')
    .description('Shows which output answers which call.')
  addWays(command).action(async (file: string | undefined, options: WayOptions) => {
    const way = wayOf(file, options, terminal)
    if (isFailure(way)) {
      terminal.complain(lineOf(way))
      return done(2)
    }
    const fields = options.dialect === undefined ? {} : { dialect: options.dialect }
    done(await ask({ op: 'pair', fields, answer: answerPair, show: showPairs }, way, terminal))
  })
}
