/**
 * `turnkeep demo`: one real turn, what a save of it writes, and what the usual ways of saving would have left.
 *
 * Law: shows, decides nothing. What the usual ways do is said of this one example only.
 */
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { answerPlan, type PlanAnswer } from '../../conformance/operations/plan.js'
import { type Question, readQuestion } from '../../conformance/question.js'
import type { ExitState } from '../ask.js'
import { startDialects } from '../dialects.js'
import { lineOf } from '../failure.js'
import { readDocument } from '../input.js'
import { nameItem } from '../item-words.js'
import type { Terminal } from '../terminal.js'
import { showPlan } from './plan.js'

const example = 'docs/examples/rejected-turn.json'

/** The usual ways to save, by the positions that they write. */
const usualWays: ReadonlyArray<{ readonly heading: string; readonly writes: (kind: string) => boolean }> = [
  { heading: 'all of it', writes: () => true },
  { heading: 'all but the message', writes: (kind) => kind !== 'message' },
  { heading: 'nothing', writes: () => false }
]

const compareWays = async (question: Question, answer: PlanAnswer, terminal: Terminal): Promise<string> => {
  const { drawTable } = await import('../table.js')
  const { paint, width } = terminal
  const { items, raws } = question.decoded
  const written = new Set(answer.writes.map((entry) => ('close' in entry ? undefined : entry.position)))
  const mark = (writes: boolean): string => (writes ? 'x' : '-')
  return drawTable({
    columns: [
      { heading: 'position' },
      { heading: 'item' },
      { heading: 'turnkeep', paint: paint.green },
      ...usualWays.map(({ heading }) => ({ heading }))
    ],
    rows: items.map((item, position) => [
      `${position}`,
      nameItem(item, raws[position]),
      mark(written.has(position)),
      ...usualWays.map(({ writes }) =>
        mark(writes(item.kind === 'message' && item.origin === 'user' ? 'input' : item.kind))
      )
    ]),
    paint,
    width
  })
}

const tellStory = async (terminal: Terminal): Promise<ExitState> => {
  const refuse = (problem: { readonly message: string }): ExitState => {
    terminal.complain(lineOf(problem))
    return 2
  }
  const document = await readDocument(fileURLToPath(new URL(`../../${example}`, import.meta.url)))
  if (isLeft(document)) return refuse(document.left)
  const dialects = startDialects()
  await dialects.need('responses')
  const outcome = { kind: 'rejected', deliverable: 'message' }
  const read = readQuestion({ items: document.right, dialect: 'responses', outcome }, dialects)
  if (isLeft(read)) return refuse(read.left)
  const question = read.right
  const planned = answerPlan(question)
  if (isLeft(planned)) return refuse(planned.left)
  const answer = planned.right
  const { raws: writes } = question.decoded.write(answer.writes)
  const { paint } = terminal
  const page = [
    `${paint.bold('A turn, as the Responses API returned it')} (${example})`,
    'The model looked an order up, then began its answer and refunded the order in the same response.',
    'The answer promises money that nobody granted, and the output check rejected it. The refund has happened.',
    '',
    paint.dim(`$ turnkeep plan --outcome rejected ${example}`),
    await showPlan({ question, answer, terminal }),
    paint.bold('What is in the session afterwards'),
    await compareWays(question, answer, terminal),
    'all of it            the rejected message is in the session, and the model reads it in the next turn.',
    'all but the message  the reasoning at 4 has lost the item it belongs to: the API refuses the next request.',
    'nothing              nobody knows of the refund: the next turn pays it a second time.',
    '',
    paint.bold(`What turnkeep appends: ${writes.length} items, each as it came, one a line`),
    ...writes.map((raw) => JSON.stringify(raw)),
    ''
  ]
  await terminal.write(page.join('\n'))
  return 0
}

/** Adds the command to a program; help does not list it. */
export const addDemo = (program: Command, terminal: Terminal, done: (state: ExitState) => void): void => {
  program
    .command('demo', { hidden: true })
    .description('Shows the main job on a real turn.')
    .action(async () => done(await tellStory(terminal)))
}
