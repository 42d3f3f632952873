/**
 * `turnkeep associate`: which item does each reasoning item belong to?
 *
 * Law: the page that shows owners.
 */
import { type Command, Option } from 'commander'
import type { AssociateAnswer } from '../../core/associate.js'
import { answerAssociate } from '../../conformance/operations/associate.js'
import { ask, type ExitState, type Shown } from '../ask.js'
import { lineOf } from '../failure.js'
import { nameItem, shortId } from '../item-words.js'
import type { Terminal } from '../terminal.js'
import { addWays, isFailure, type WayOptions, wayOf } from './ways.js'

interface AssociateOptions extends WayOptions {
  readonly association?: string
}

/** The page: a row per reasoning item. */
export const showOwners = async ({ question, answer, terminal }: Shown<AssociateAnswer>): Promise<string> => {
  const { drawTable } = await import('../table.js')
  const { items, raws } = question.decoded
  // Only whom the core lists has an owner; reasoning of the user is input.
  const positions = [...items.keys()].filter((position) => {
    const item = items[position]
    return item?.kind === 'reasoning' && item.origin !== 'user'
  })
  if (answer.owner.length === 0) return 'no reasoning\n'
  const { paint, width } = terminal
  return drawTable({
    columns: [
      { heading: 'position' },
      { heading: 'item' },
      { heading: 'id', paint: paint.dim },
      { heading: 'belongs to' }
    ],
    rows: answer.owner.map((owner, index) => {
      const position = positions[index] ?? 0
      const item = items[position]
      const owning = owner === null ? undefined : items[owner]
      const words = owning === undefined || owner === null ? '' : `${owner} ${nameItem(owning, raws[owner])}`
      return [
        `${position}`,
        item === undefined ? '' : nameItem(item, raws[position]),
        shortId(item?.id),
        words === '' ? 'nothing: it is trailing' : words
      ]
    }),
    paint,
    width
  })
}

/** Adds the command to a program. */
export const addAssociate = (
  program: Command,
  terminal: Terminal,
  done: (state: ExitState) => void
): void => {
  const command = program
    .command('associate')
    .summary('show which item each reasoning item belongs to')
    .description('Shows which item each reasoning item belongs to.')
  addWays(command)
    .addOption(
      new Option(
        '--association <kind>',
        'next item, or all up to the next reasoning (default: next)'
      ).choices(['next', 'segment'])
    )
    .action(async (file: string | undefined, options: AssociateOptions) => {
      const way = wayOf(file, options, terminal)
      if (isFailure(way)) {
        terminal.complain(lineOf(way))
        return done(2)
      }
      const fields = {
        ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
        ...(options.association === undefined ? {} : { policy: { association: options.association } })
      }
      done(await ask({ op: 'associate', fields, answer: answerAssociate, show: showOwners }, way, terminal))
    })
}
