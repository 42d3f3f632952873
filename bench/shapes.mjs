/**
 * Which turns are measured?
 *
 * Law: only this file makes them. The same shape and size give the same turn on every machine: chance comes from a
 * seed. Every turn ends in a message that the check rejects, alone in its response, so that what must be withheld is
 * known beforehand: the last position. Shapes of the first five names hold bare items; the others carry what a
 * dialect reads from the wire.
 */

export const sizes = [20, 1_000, 10_000, 100_000, 1_000_000]

/** Numbers from 0 to 1, the same for the same seed. */
export const seeded = (seed) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const user = (position) => ({ kind: 'message', origin: 'user', id: `msg_${position}` })
const message = (position) => ({ kind: 'message', id: `msg_${position}` })
const reasoning = (position) => ({ kind: 'reasoning', id: `rs_${position}` })
const call = (position, key = position) => ({ kind: 'call', callId: `call_${key}`, id: `fc_${position}` })
const output = (key) => ({ kind: 'output', callId: `call_${key}` })

/** Each step a thought, a call and its output: what a reasoning model with one tool at a time leaves. */
const alternating = (count) => {
  const items = []
  for (let step = 0; step < Math.floor(count / 3); step += 1) {
    const position = items.length
    items.push(reasoning(position), call(position), output(position))
  }
  return items
}

/** Thought upon thought, then one call: what sends a forward scan from every thought to the end. */
const stacked = (count) => {
  const items = []
  for (let position = 0; position < count - 2; position += 1) items.push(reasoning(position))
  items.push(call(count - 2, 'last'), output('last'))
  return items
}

const callsThenOutputs = (count, keyOf) => {
  const half = Math.floor(count / 2)
  const items = []
  for (let key = 0; key < half; key += 1) items.push(call(key))
  for (let key = 0; key < half; key += 1) items.push(output(keyOf(key, half)))
  return items
}

const parallel = (count) => callsThenOutputs(count, (key) => key)

const reversed = (count) => callsThenOutputs(count, (key, half) => half - 1 - key)

const messages = (count) => {
  const items = []
  for (let position = 0; position < count; position += 1)
    items.push((count - position) % 2 === 0 ? message(position) : user(position))
  return items
}

/**
 * Items as a dialect hands them on: with the number of their response, and each call in the family of its tool. Each
 * is one literal: objects that are spread from others have shapes of their own, and no dialect makes such items.
 */
const numbered = (response) => ({
  reasoning: (position) => ({ kind: 'reasoning', id: `rs_${position}`, response }),
  message: (position) => ({ kind: 'message', id: `msg_${position}`, response }),
  call: (position, namespace = 'function') => ({
    kind: 'call',
    namespace,
    callId: `call_${position}`,
    id: `fc_${position}`,
    response
  }),
  output: (key, namespace = 'function') => ({ kind: 'output', namespace, callId: `call_${key}` }),
  program: (position) => ({
    kind: 'call',
    namespace: 'program',
    executor: 'provider',
    callId: `call_${position}`,
    id: `fc_${position}`,
    response
  }),
  child: (position, program) => ({
    kind: 'call',
    namespace: 'function',
    callId: `call_${position}`,
    id: `fc_${position}`,
    parent: `call_${program}`,
    response
  }),
  programOutput: (key) => ({
    kind: 'output',
    namespace: 'program',
    origin: 'model',
    callId: `call_${key}`,
    response
  })
})

/** A conversation: responses that think, speak and call up to four tools, and now and then a word of the user. */
const chat = (length, random) => {
  const items = []
  for (let response = 0; items.length < length; response += 1) {
    const make = numbered(response)
    const step = []
    const place = () => items.length + step.length
    if (random() < 0.6) step.push(make.reasoning(place()))
    const count = Math.floor(random() * 5)
    if (count === 0 || random() < 0.3) step.push(make.message(place()))
    const calls = []
    for (let left = count; left > 0; left -= 1) {
      calls.push(place())
      step.push(make.call(place()))
    }
    for (const key of calls) step.push(make.output(key))
    if (random() < 0.15) step.push(user(place()))
    if (items.length + step.length > length) break
    for (const item of step) items.push(item)
  }
  return items
}

/** Each step looks a tool up before it calls it. */
const toolSearch = (count) => {
  const items = []
  for (let step = 0; step < Math.floor(count / 4); step += 1) {
    const make = numbered(step)
    const position = items.length
    items.push(
      make.call(position, 'tool-search'),
      make.output(position, 'tool-search'),
      make.call(position + 2),
      make.output(position + 2)
    )
  }
  return items
}

/** Programs of the model, each of which makes four calls. */
const programs = (count) => {
  const items = []
  for (let step = 0; step < Math.floor(count / 10); step += 1) {
    const make = numbered(step)
    const first = items.length
    items.push(make.program(first))
    for (let child = 1; child <= 4; child += 1) items.push(make.child(first + child, first))
    for (let child = 1; child <= 4; child += 1) items.push(make.output(first + child))
    items.push(make.programOutput(first))
  }
  return items
}

const makers = {
  alternating,
  stacked,
  parallel,
  reversed,
  messages,
  chat,
  'tool-search': toolSearch,
  programs
}

/** The names of the shapes, in the order of the tables. */
export const shapeNames = Object.keys(makers)

/** What stands for the response of the rejected message: behind every other. */
const lastResponse = (items) =>
  items.reduce(
    (highest, { response }) => (response === undefined ? highest : Math.max(highest, response + 1)),
    -1
  )

/** A turn of exactly `size` items (at least 20) whose last item is the rejected message. */
export const makeTurn = (shape, size) => {
  const work = makers[shape](size - 1, seeded(20_261_201))
  const items = []
  for (let left = size - 1 - work.length; left > 0; left -= 1) items.push(user(`before_${left}`))
  for (const item of work) items.push(item)
  const response = lastResponse(work)
  items.push(response < 0 ? message(size - 1) : numbered(response).message(size - 1))
  return items
}

/** A history as a careless program leaves it: every tenth output of a tool is missing. */
export const tear = (items) => {
  let outputs = 0
  return items.filter(({ kind, namespace }) => {
    if (kind !== 'output' || namespace === 'program') return true
    outputs += 1
    return outputs % 10 !== 0
  })
}
