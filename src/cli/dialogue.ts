/**
 * Does another program conform?
 *
 * Law: drives the examinations of the conformance kit with lines, and checks the dialogue itself first: several lines at
 * once are answered in order, and a line that is no question gets an error in its place. What an answer has to be is the
 * kit's.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { compareAnswer } from '../conformance/compare.js'
import { type Depth, examine } from '../conformance/examine.js'
import {
  type Choice,
  type Finding,
  judge,
  type Report,
  type Result,
  sumUp,
  type Trouble
} from '../conformance/report.js'
import { type Fields, isFields, type SingleVector, type Vector } from '../conformance/vector.js'
import type { Peer } from './peer.js'

/** A report, and what was wrong with the dialogue apart from any vector. */
export interface DialogueReport extends Report {
  readonly dialogue: ReadonlyArray<Trouble>
}

/** So many vectors in a row without any answer: the program is broken, not wrong. */
const patience = 10

const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const notJson = (line: string): Trouble => ({
  kind: 'not-json',
  message: `expected one JSON object on a line, received ${line.length} characters that are none`
})

const extraLine = (count: number): Trouble => ({
  kind: 'extra-line',
  message: `${count === 1 ? 'a line' : `${count} lines`} came without a question`
})

const isTrouble = (value: Trouble | Fields): value is Trouble =>
  typeof value['kind' as keyof typeof value] === 'string' && 'message' in value

const askOne = async (peer: Peer, question: Fields): Promise<Trouble | { readonly answer: Fields }> => {
  const extra = peer.takeExtra().length
  if (extra > 0) return extraLine(extra)
  const answered = await peer.ask([JSON.stringify(question)])
  if (isLeft(answered)) return answered.left
  const line = answered.right[0] ?? ''
  const answer = parseLine(line)
  return isFields(answer) ? { answer } : notJson(line)
}

const runVector = async (peer: Peer, vector: Vector, depth: Depth): Promise<Finding | undefined> => {
  const examination = examine(vector, depth)
  let next = examination.next()
  while (next.done !== true) {
    const answered = await askOne(peer, next.value)
    if (isTrouble(answered)) {
      peer.restart()
      return answered
    }
    next = examination.next(answered.answer)
  }
  return next.value
}

/** Vectors of one question whose answers can be told apart. */
const pickDistinct = (chosen: ReadonlyArray<Vector>): ReadonlyArray<SingleVector> => {
  const picked = new Map<string, SingleVector>()
  for (const vector of chosen) {
    if ('input' in vector && vector.expect['error'] === undefined)
      picked.set(JSON.stringify(vector.expect), vector)
    if (picked.size === 3) break
  }
  return [...picked.values()]
}

/** Several lines at once: as many answers, in order. */
const checkOrder = async (peer: Peer, chosen: ReadonlyArray<Vector>): Promise<Trouble | undefined> => {
  const asked = pickDistinct(chosen)
  if (asked.length < 2) return undefined
  const answered = await peer.ask(asked.map(({ input }) => JSON.stringify(input)))
  if (isLeft(answered)) {
    const { kind, message } = answered.left
    return { kind, message: `${asked.length} questions at once: ${message}` }
  }
  const answers = answered.right.map(parseLine)
  const fits = (vector: SingleVector | undefined, answer: unknown): boolean =>
    vector !== undefined && compareAnswer(vector.expect, answer) === undefined
  // Only lines that would be right somewhere else are out of order; wrong ones are told by their vectors.
  const misplaced = answers.some(
    (answer, index) => !fits(asked[index], answer) && asked.some((vector) => fits(vector, answer))
  )
  return misplaced
    ? { kind: 'order', message: `${asked.length} questions at once were not answered in their order` }
    : undefined
}

/** A line that is no question costs its own answer only. */
const checkBadLine = async (peer: Peer): Promise<Trouble | undefined> => {
  const answered = await peer.ask(['{"op":'])
  if (isLeft(answered)) {
    const { kind, message } = answered.left
    return { kind, message: `a line that is no JSON: ${message}` }
  }
  const line = answered.right[0] ?? ''
  const answer = parseLine(line)
  if (!isFields(answer)) return notJson(line)
  if (compareAnswer({ error: { kind: 'invalid-input' } }, answer) === undefined) return undefined
  return { kind: 'not-json', message: 'a line that is no JSON: expected an error of the kind invalid-input' }
}

/** How vectors are run against a program. */
export interface Conversation {
  readonly choice: Choice
  readonly depth: Depth
  /** Stop at the first failure. */
  readonly bail: boolean
  /** Told every result as it comes. */
  readonly hear: (result: Result) => void
}

/** Runs vectors against a program. */
export const converse = async (
  peer: Peer,
  chosen: ReadonlyArray<Vector>,
  { choice, depth, bail, hear }: Conversation
): Promise<DialogueReport> => {
  const dialogue: Array<Trouble> = []
  const note = (trouble: Trouble | undefined): void => {
    if (trouble !== undefined) dialogue.push(trouble)
  }
  note(await checkOrder(peer, chosen))
  note(await checkBadLine(peer))
  const results: Array<Result> = []
  let silent = 0
  for (const vector of chosen) {
    const finding = await runVector(peer, vector, depth)
    const result = judge(vector, finding, choice)
    results.push(result)
    hear(result)
    if (bail && (result.state === 'failed' || result.state === 'unskipped')) break
    silent = finding?.kind === 'crash' || finding?.kind === 'timeout' ? silent + 1 : 0
    if (silent === patience) {
      note({ kind: 'crash', message: `given up: ${patience} vectors in a row had no answer` })
      break
    }
  }
  note(await peer.end())
  return { ...sumUp(results, dialogue), dialogue }
}
