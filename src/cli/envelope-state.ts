/**
 * What does the stored state of an agents run hold of a history?
 *
 * Law: the input that the run began with, and the items that it has made. The SDK counts and compares the items that the
 * run has made when it resumes, in several places of the state, so they are shown and never changed; what came before
 * the run is changed as any history. Calls that wait for consent are waited for. Complexity: linear.
 */
import { left, right } from 'fp-ts/lib/Either.js'
import { isRecord } from '../conformance/question.js'
import { type Envelope, type Rewritten, writerFor } from './envelope-form.js'
import { failure } from './failure.js'

type Document = Readonly<Record<string, unknown>>

interface Spelling {
  readonly input: string
  readonly generated: string
  readonly raw: string
  readonly callId: string
  readonly dialect: string
}

const spellings: ReadonlyArray<Spelling> = [
  {
    input: 'originalInput',
    generated: 'generatedItems',
    raw: 'rawItem',
    callId: 'callId',
    dialect: 'agents-js'
  },
  {
    input: 'original_input',
    generated: 'generated_items',
    raw: 'raw_item',
    callId: 'call_id',
    dialect: 'agents-python'
  }
]

/** Calls for which the run has asked for consent: it answers them itself once it goes on. */
const findWaiting = (items: ReadonlyArray<unknown>, { raw, callId }: Spelling): ReadonlySet<string> => {
  const waiting = new Set<string>()
  for (const item of items) {
    if (!isRecord(item) || item['type'] !== 'tool_approval_item') continue
    const inner = item[raw]
    const id = isRecord(inner) ? inner[callId] : undefined
    if (typeof id === 'string') waiting.add(id)
  }
  return waiting
}

/** Opens a run state; undefined for a document that is none. */
export const openState = (document: Document, text: string, place: string): Envelope | undefined => {
  const spelling = spellings.find(
    ({ generated }) => Object.hasOwn(document, generated) && Array.isArray(document[generated])
  )
  if (spelling === undefined) return undefined
  const { input, generated, dialect } = spelling
  const made = document[generated] as ReadonlyArray<unknown>
  const given = document[input]
  const before: ReadonlyArray<unknown> = Array.isArray(given) ? given : []
  const refused = `${place}: the run compares its ${generated} when it resumes, so they are not changed here; resume the run, or repair the items that the session holds`
  const write = ({ list, from }: Rewritten): ReturnType<Envelope['write']> => {
    let split = 0
    while (split < list.length && (from[split] as number) < before.length) {
      if ((from[split] as number) < 0 && -1 - (from[split] as number) >= before.length) break
      split += 1
    }
    const rest = list.slice(split)
    if (rest.length !== made.length || rest.some((item, index) => item !== made[index]))
      return left(failure('invalid-input', refused))
    return right(
      writerFor({ list, from }, before).write(text, document, { ...document, [input]: list.slice(0, split) })
    )
  }
  return {
    name: 'agents run state',
    list: [...before, ...made],
    ofPlain: dialect,
    fields: {},
    around: {},
    waiting: findWaiting(made, spelling),
    place: (path) => {
      const [, digits = '0', rest = ''] = /^\[(\d+)\](.*)$/.exec(path) ?? []
      const index = Number(digits)
      return index < before.length
        ? `${input}[${index}]${rest}`
        : `${generated}[${index - before.length}]${rest}`
    },
    sources: [[text, document]],
    write
  }
}
