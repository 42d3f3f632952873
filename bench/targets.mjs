/**
 * How fast must it be?
 *
 * Law: the bounds that the project has set itself, each as a ratio inside one run or a number of bytes, and where in
 * the rows of a run the figure stands. A bound is never moved by a run.
 */

const rowOf = (rows, shape, name, size) =>
  rows.find((row) => row.shape === shape && row.case === name && row.size === size)

const ratio = (shape, name, size) => (rows) => rowOf(rows, shape, name, size)?.ratio?.median

/** How many times as long a peer took; one that was stopped took at least as long as it was given. */
const slowness = (shape, name, size) => (rows) => {
  const row = rowOf(rows, shape, name, size)
  const ours = rowOf(rows, shape, 'rejected', size)
  return row?.atLeast === undefined ? row?.ratio?.median : ours && row.atLeast / ours.time.median
}

const bytes = (shape, size, read) => (rows) => {
  const row = rowOf(rows, shape, 'bytes', size)
  return row === undefined || row.allocated === null || row.map === null ? undefined : read(row) / size
}

const large = 100_000

const atMost = (limit, name, read) => ({ name, limit, read, isMet: (figure) => figure <= limit, sign: '≤' })
const atLeast = (limit, name, read) => ({ name, limit, read, isMet: (figure) => figure >= limit, sign: '≥' })

const bundle = (name) => (_rows, bundles) => bundles[name]

const session = (store, place) => (_rows, _bundles, sessions) =>
  sessions.find((found) => found.store === store)?.writes[place]?.ratio.median

/** How many times as long the last items of the longest session take to read as those of the shortest. */
const flatness = (store) => (_rows, _bundles, sessions) => {
  const reads = sessions.find((found) => found.store === store)?.reads
  return reads === undefined ? undefined : reads.at(-1).time.median / reads[0].time.median
}

/** The bounds in the order of the table. */
export const targets = [
  ...['alternating', 'parallel', 'reversed', 'chat'].map((shape) =>
    atMost(1.5, `${shape}, 100,000 items, rejected: × the floor`, ratio(shape, 'rejected', large))
  ),
  ...['stacked', 'messages'].map((shape) =>
    atMost(3, `${shape}, 100,000 items, rejected: × the floor`, ratio(shape, 'rejected', large))
  ),
  atLeast(
    15,
    'alternating, 100,000 items: × as fast as the selection of agents-core',
    slowness('alternating', 'select', large)
  ),
  atLeast(
    1000,
    'stacked, 100,000 items: × as fast as the selection of agents-core',
    slowness('stacked', 'select', large)
  ),
  ...['alternating', 'chat'].map((shape) =>
    atMost(6, `${shape}, 20 items, half of them saved, rejected: × the floor`, ratio(shape, 'resumed', 20))
  ),
  ...['alternating', 'chat'].map((shape) =>
    atMost(5, `${shape}, 100,000 saves of a growing turn: × one plan of it`, ratio(shape, 'grow', large))
  ),
  ...['alternating', 'parallel', 'chat'].flatMap((shape) => [
    atMost(
      40,
      `${shape}, 100,000 items: bytes allocated per item beyond the pairing map`,
      bytes(shape, large, ({ allocated, map }) => Math.max(0, allocated - map))
    ),
    atMost(
      16,
      `${shape}, 100,000 items: bytes per item that a plan keeps`,
      bytes(shape, large, ({ retained }) => retained)
    )
  ]),
  atMost(8_000, 'size of `planSave` with what it needs, minified, gzip: bytes', bundle('. { planSave }')),
  ...['SQLite', 'Postgres'].flatMap((store) => [
    atMost(1.5, `${store}, turns of 20 items: × the same rows by hand`, session(store, 0)),
    atMost(1.5, `${store}, one large turn: × the same rows by hand`, session(store, 1)),
    atMost(2, `${store}, last 50 items of the longest session: × of the shortest`, flatness(store))
  ])
]

/** Each bound with its figure in a run; `figure` is undefined where it was not measured. */
export const judge = ({ rows, bundles, sessions }) =>
  targets.map(({ name, limit, sign, read, isMet }) => {
    const figure = read(rows, bundles, sessions)
    return { name, limit, sign, figure, met: figure === undefined ? undefined : isMet(figure) }
  })
