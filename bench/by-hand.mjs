/**
 * What would somebody write who needs these rows and nothing else?
 *
 * Law: hand-made SQL that puts a turn of a session into the tables of turnkeep, in one transaction, prepared once
 * where the driver can. It compares nothing, repeats nothing and never finds a second writer: it is the floor.
 */

const mostRows = 400

const insertOf = (table, count, parameter) => {
  const rows = Array.from({ length: count }, (_, row) => {
    const first = row * 5
    return `(${[1, 2, 3, 4, 5].map((place) => parameter(first + place)).join(', ')})`
  })
  return `insert into ${table}_entries (session, number, position, turn, item) values ${rows.join(', ')}`
}

const turnOf = (table, parameter) =>
  `insert into ${table}_turns (session, turn, number, operation, progress, entries, removed) values (${[1, 2, 3, 4, 5, 6].map(parameter).join(', ')}, 0)`

const sessionOf = (table, parameter) =>
  `insert into ${table}_sessions (session, next) values (${parameter(1)}, ${parameter(2)}) on conflict (session) do update set next = excluded.next`

/** The values of the inserts of one turn, `mostRows` rows at a time. */
const chunksOf = (session, number, turn, items) => {
  const chunks = []
  for (let first = 0; first < items.length; first += mostRows) {
    const values = []
    const end = Math.min(items.length, first + mostRows)
    for (let position = first; position < end; position += 1)
      values.push(session, number, position, turn, JSON.stringify(items[position]))
    chunks.push({ count: end - first, values })
  }
  return chunks
}

/** Writes a turn: `(session, number, turn, items, progress)`. */
export const writeSqliteByHand = (client, table) => {
  const parameter = () => '?'
  const prepared = new Map()
  const insert = (count) => {
    const known = prepared.get(count) ?? client.prepare(insertOf(table, count, parameter))
    prepared.set(count, known)
    return known
  }
  const addTurn = client.prepare(turnOf(table, parameter))
  const setSession = client.prepare(sessionOf(table, parameter))
  return async (session, number, turn, items, { operation, progress }) => {
    client.exec('begin immediate')
    setSession.run(session, number + 1)
    for (const { count, values } of chunksOf(session, number, turn, items)) insert(count).run(...values)
    addTurn.run(session, turn, number, operation, JSON.stringify(progress), items.length)
    client.exec('commit')
  }
}

/** The same for a connected client of `pg`. */
export const writePostgresByHand = (client, table) => {
  const parameter = (place) => `$${place}`
  const texts = new Map()
  const insert = (count) => {
    const known = texts.get(count) ?? insertOf(table, count, parameter)
    texts.set(count, known)
    return known
  }
  const addTurn = turnOf(table, parameter)
  const setSession = sessionOf(table, parameter)
  return async (session, number, turn, items, { operation, progress }) => {
    await client.query('begin')
    await client.query(setSession, [session, number + 1])
    for (const { count, values } of chunksOf(session, number, turn, items))
      await client.query(insert(count), values)
    await client.query(addTurn, [session, turn, number, operation, JSON.stringify(progress), items.length])
    await client.query('commit')
  }
}
