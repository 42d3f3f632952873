/**
 * The turns that the exhaustive check is made over: words of letters, one letter an item.
 */
import type { Item } from '../../../src/core/item.js'

/** What each letter stands for. The two calls `a` and `b` are alike, so one of the two names is enough to begin with. */
export const letters: Readonly<Record<string, string>> = {
  u: 'user input',
  r: 'reasoning',
  m: 'message',
  a: 'call a',
  A: 'output of a',
  b: 'call b',
  B: 'output of b',
  c: 'a call that is running and is never answered',
  h: 'a self-contained call',
  k: 'a marker',
  x: 'an unclassified item'
}

/** The alphabet of the issue, and the two smaller ones that are tried to a greater length. */
export const fullAlphabet = 'urmaAbBchkx'
export const callAlphabet = 'urmaAbB'
export const pairAlphabet = 'rmaA'

const itemOf = (letter: string, position: number): Item => {
  const id = `${letter}${position}`
  switch (letter) {
    case 'u':
      return { kind: 'message', origin: 'user', id }
    case 'r':
      return { kind: 'reasoning', id }
    case 'm':
      return { kind: 'message', id }
    case 'a':
    case 'b':
      return { kind: 'call', callId: letter, id }
    case 'A':
    case 'B':
      return { kind: 'output', callId: letter.toLowerCase(), id }
    case 'c':
      return { kind: 'call', callId: 'c', execution: 'running', id }
    case 'h':
      return { kind: 'call', callId: `h${position}`, selfContained: true, executor: 'provider', id }
    case 'k':
      return { kind: 'marker', id }
    default:
      return { kind: 'unclassified', id }
  }
}

/** The turn of a word; every item has an id of its own. */
export const turnOf = (word: string): ReadonlyArray<Item> =>
  Array.from(word, (letter, position) => itemOf(letter, position))

/** Whether a word is the one of its two names that is tried: the first call or output is one of `a`. */
export const isCanonical = (word: string): boolean => {
  const first = /[aAbB]/.exec(word)
  return first === null || first[0].toLowerCase() === 'a'
}

/** The letters with which a word of an alphabet may go on. */
export const nextLetters = (word: string, alphabet: string): ReadonlyArray<string> =>
  Array.from(alphabet).filter((letter) => isCanonical(word + letter))
