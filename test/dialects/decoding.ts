/** Shared steps of the dialect tests: decode or fail, close one call, read again, freeze to the bottom. */
import type { Item } from '../../src/core/item.js'
import type { ClosingExecution, Decoded, SharedDialect } from '../../src/ports/dialect.js'

/** The decoded turn; an error fails the test that asked. */
export const decodeOrThrow = <Base>(dialect: SharedDialect<Base>, raws: unknown): Decoded<Base> => {
  const decoded = dialect.decode(raws)
  if (decoded._tag === 'Left') throw new Error(decoded.left.message)
  return decoded.right
}

/** The items of a list of raw values. */
export const reread = <Base>(dialect: SharedDialect<Base>, raws: unknown): ReadonlyArray<Item> =>
  decodeOrThrow(dialect, raws).items

/** What closes one raw call. */
export const closeOne = <Base>(dialect: SharedDialect<Base>, call: Base, as: ClosingExecution): unknown => {
  const [item] = reread(dialect, [call])
  if (item === undefined) throw new Error('nothing was decoded')
  return dialect.close(call, item, as)
}

/** Freezes a value to the bottom, so that writing into it throws. */
export const deepFreeze = <A>(value: A): A => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  }
  return value
}
