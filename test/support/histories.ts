/** Random stored histories: turns drawn over few ids, with what only an audit looks at, and any profile. */
import fc from 'fast-check'
import type { Item } from '../../src/core/item.js'
import { type Profile, profiles, profileValues } from '../../src/core/profile.js'
import { items as turn } from './arbitraries.js'

/** What an audit reads beside the fields of a turn; mostly absent. */
const extras = fc.record(
  {
    role: fc.constant('system' as const),
    signature: fc.constantFrom('present', 'missing', 'partial', 'stale', 'none'),
    requiresReasoning: fc.constantFrom('x', 'y', 'z'),
    run: fc.constantFrom('A', 'B'),
    sequence: fc.nat(5),
    source: fc.record({ message: fc.nat(3), part: fc.nat(2) })
  },
  { requiredKeys: [] }
)

const thin = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: extras })

/** Ids that hardly collide, or often do. */
const ids = fc.boolean()

const decorate = (
  items: ReadonlyArray<Item>,
  more: ReadonlyArray<object>,
  distinct: boolean
): ReadonlyArray<Item> =>
  items.map((item, position) => {
    const extra = more.length === 0 ? {} : more[position % more.length]
    const id = distinct && item.id !== undefined ? { id: `${item.id}${position}` } : {}
    return { ...item, ...extra, ...id } as Item
  })

/** Mostly small histories, some long. */
export const history: fc.Arbitrary<ReadonlyArray<Item>> = fc
  .tuple(turn, fc.array(thin, { maxLength: 8, size: 'max' }), ids)
  .map(([items, more, distinct]) => decorate(items, more, distinct))

/** A record that is kept, or any other combination of values. */
export const profile: fc.Arbitrary<Profile> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...Object.values(profiles)) },
  {
    weight: 1,
    arbitrary: fc.record(
      Object.fromEntries(
        Object.entries(profileValues).map(([field, values]) => [field, fc.constantFrom<unknown>(...values)])
      )
    ) as unknown as fc.Arbitrary<Profile>
  }
)
