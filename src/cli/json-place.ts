/**
 * Where does a text stop being JSON, and what would have been right there?
 *
 * Law: used only after `JSON.parse` has refused a text, because its messages show the text and seldom a place. One pass,
 * without recursion.
 */

/** A place in a text, and what should have stood there. */
export interface Break {
  /** Counted from 1, in lines and UTF-16 units. */
  readonly line: number
  readonly column: number
  readonly expected: string
  /** Whether the text simply ends here. */
  readonly atEnd: boolean
}

type Need = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing'

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const escapes = '"\\/bfnrt'

/** The offset behind a string that opens at `start`; negative, less one, where it breaks. */
export const skipString = (text: string, start: number): number => {
  let offset = start + 1
  for (; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset)
    if (code === 34) return offset + 1
    if (code < 32) return -1 - offset
    if (code !== 92) continue
    const escaped = text[offset + 1]
    if (escaped === 'u') {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(offset + 2, offset + 6))) return -1 - offset
      offset += 5
    } else if (escaped !== undefined && escapes.includes(escaped)) offset += 1
    else return escaped === undefined ? -1 - text.length : -1 - offset
  }
  return -1 - text.length
}

/** The offset behind a number or a word that starts at `start`; `start` itself where there is none. */
const skipPlain = (text: string, start: number): number => {
  for (const word of ['true', 'false', 'null']) if (text.startsWith(word, start)) return start + word.length
  number.lastIndex = start
  return number.test(text) ? number.lastIndex : start
}

const wordsFor = (need: Need, inList: boolean): string => {
  switch (need) {
    case 'value':
      return 'a value'
    case 'value-or-end':
      return 'a value or ]'
    case 'key':
      return 'a name in double quotes'
    case 'key-or-end':
      return 'a name in double quotes or }'
    case 'colon':
      return 'a colon'
    case 'comma-or-end':
      return inList ? 'a comma or ]' : 'a comma or }'
    case 'nothing':
      return 'nothing more: one document is read'
  }
}

const placeOf = (text: string, offset: number): Pick<Break, 'line' | 'column'> => {
  let line = 1
  let start = 0
  for (let next = text.indexOf('\n'); next !== -1 && next < offset; next = text.indexOf('\n', start)) {
    line += 1
    start = next + 1
  }
  return { line, column: offset - start + 1 }
}

/**
 * Finds the first place at which a text cannot go on as JSON, or undefined when the whole text is JSON.
 *
 * Complexity: linear in the text.
 *
 * @example
 * findBreak('[1,]') // => { line: 1, column: 4, expected: 'a value', atEnd: false }
 */
export const findBreak = (text: string): Break | undefined => {
  const inList: boolean[] = []
  let need: Need = 'value'
  let offset = 0
  const breakAt = (place: number, expected: string): Break => ({
    ...placeOf(text, place),
    expected,
    atEnd: place >= text.length
  })
  const afterValue = (): Need => (inList.length === 0 ? 'nothing' : 'comma-or-end')
  for (;;) {
    while (offset < text.length && ' \t\n\r'.includes(text[offset] as string)) offset += 1
    if (offset >= text.length && need === 'nothing') return undefined
    const sign = text[offset]
    const list = inList[inList.length - 1] === true
    const wantsValue: boolean = need === 'value' || need === 'value-or-end'
    const wantsKey: boolean = need === 'key' || need === 'key-or-end'
    if (sign === '"' && (wantsValue || wantsKey)) {
      const end = skipString(text, offset)
      if (end < 0) return breakAt(-1 - end, 'the rest of a string, with its control characters escaped')
      offset = end
      need = wantsKey ? 'colon' : afterValue()
    } else if (wantsValue && (sign === '[' || sign === '{')) {
      inList.push(sign === '[')
      offset += 1
      need = sign === '[' ? 'value-or-end' : 'key-or-end'
    } else if (
      (sign === ']' && list && (need === 'value-or-end' || need === 'comma-or-end')) ||
      (sign === '}' && !list && (need === 'key-or-end' || need === 'comma-or-end'))
    ) {
      inList.pop()
      offset += 1
      need = afterValue()
    } else if (sign === ',' && need === 'comma-or-end') {
      offset += 1
      need = list ? 'value' : 'key'
    } else if (sign === ':' && need === 'colon') {
      offset += 1
      need = 'value'
    } else {
      const end = wantsValue ? skipPlain(text, offset) : offset
      if (end === offset) return breakAt(offset, wordsFor(need, list))
      offset = end
      need = afterValue()
    }
  }
}
