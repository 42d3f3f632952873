/** The built core runs in a world that has no clock, no chance, no console, no promise and no modules. */
import { readFileSync } from 'node:fs'
import { createContext, Script } from 'node:vm'
import { describe, expect, test } from 'vitest'

/**
 * One call of every exported function, as text that is run in the bare world. `freeze` freezes to the bottom, so a
 * call that writes to its input throws.
 */
const calls: Readonly<Record<string, string>> = {
  startProgress: "api.startProgress('t')",
  persistedCount: "api.persistedCount(freeze(api.startProgress('t')))",
  rejected: "api.rejected('message', 1)",
  failed: "api.failed('due')",
  aborted: "api.aborted('none')",
  open: "api.open('output')",
  associateReasoning: 'api.associateReasoning(freeze({ items }))',
  pairCalls: 'api.pairCalls(freeze({ items }))',
  selectItems: 'api.selectItems(freeze({ items, outcome: api.accepted }))',
  retain: 'api.retain(freeze({ items }))',
  planSave:
    "api.planToJSON(api.orThrow(api.planSave(freeze({ turn: 't', items, outcome: api.rejected('output') }))))",
  planToJSON:
    "api.planToJSON(api.orThrow(api.planSave(freeze({ turn: 't', items, outcome: api.accepted }))))",
  orThrow: "api.orThrow(freeze({ _tag: 'Right', right: 1 }))",
  trackTurn: "api.trackTurn(freeze({ turn: 't' }))",
  extendTurn: "api.extendTurn(api.orThrow(api.trackTurn(freeze({ turn: 't' }))), freeze(items))",
  planTurn: 'api.planToJSON(api.orThrow(api.planTurn(tracked(), freeze(api.open()))))',
  acknowledge: `(() => {
    const tracker = tracked()
    return api.acknowledge(tracker, api.orThrow(api.planTurn(tracker, api.open())))
  })()`,
  resumeTurn: "api.resumeTurn(tracked(), freeze(api.startProgress('t')))",
  profileOf: "api.profileOf('responses')",
  checkProfile: "api.checkProfile(freeze({ reasoning: 'loud' }))",
  audit: "api.audit(freeze({ items, profile: 'responses' }))",
  repair: "api.repair(freeze({ items, profile: 'responses' }))",
  repairedEntries: "api.repairedEntries(api.repair(freeze({ items, profile: 'responses' })))",
  progressFromCount: "api.orThrow(api.progressFromCount(freeze({ turn: 't', items, count: 2 })))",
  recoverProgress:
    "api.orThrow(api.recoverProgress(freeze({ turn: 't', items, history: items.slice(0, 2) })))",
  applyPlan:
    'api.applyPlan({ dialect, plan: freeze({ writes: [{ position: 0 }], replaces: [] }), items, raws: items })',
  saveTurn:
    "api.orThrow(api.saveTurn(freeze({ dialect, turn: 't', items, outcome: api.aborted('none') }))).items"
}

/** A small turn, a tracker of it and a dialect, for the calls above. */
const materials = `
  globalThis.items = freeze([
    { kind: 'message', origin: 'user', id: 'u' },
    { kind: 'reasoning', id: 'r' },
    { kind: 'call', callId: 'a', id: 'c' },
    { kind: 'output', callId: 'a' },
    { kind: 'call', callId: 'b' }
  ])
  globalThis.tracked = () => api.extendTurn(api.orThrow(api.trackTurn(freeze({ turn: 't' }))), items)
  globalThis.dialect = freeze({
    decode: (raws) => ({ _tag: 'Right', right: { items: raws, raws, notices: [] } }),
    close: (call, item, as) => ({ kind: 'output', callId: item.callId, execution: as }),
    redact: (output) => ({ ...output, redacted: true }),
    stripId: ({ id, ...rest }) => rest
  })`

const code = (): string => readFileSync('dist/index.cjs', 'utf8')

const bareWorld = (): ReturnType<typeof createContext> => {
  const world = createContext({}, { codeGeneration: { strings: false, wasm: false } })
  new Script(
    `delete globalThis.Date
     delete globalThis.Promise
     delete globalThis.WebAssembly
     delete globalThis.console
     delete Math.random
     globalThis.freeze = (value) => {
       if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
         Object.freeze(value)
         for (const key of Reflect.ownKeys(value)) freeze(value[key])
       }
       return value
     }
     globalThis.api = ((module) => {
       ;((module, exports) => {
${code()}
       })(module, module.exports)
       return module.exports
     })({ exports: {} })
     ${materials}`
  ).runInContext(world)
  return world
}

describe('the built core', () => {
  test('asks for no module', () => {
    expect(code()).not.toMatch(/\brequire\s*\(/)
    expect(code()).not.toMatch(/\bimport\s*\(/)
  })

  test('lives in a world without clock, chance, console, promises, process and modules', () => {
    const world = bareWorld()
    const absent = [
      'Date',
      'Promise',
      'console',
      'process',
      'require',
      'WebAssembly',
      'setTimeout',
      'Math.random'
    ]
    for (const name of absent) {
      const [owner = 'globalThis', member = name] = name.includes('.')
        ? name.split('.')
        : ['globalThis', name]
      expect(new Script(`typeof ${owner}.${member}`).runInContext(world), name).toBe('undefined')
    }
    expect(new Script('Object.keys(api).length').runInContext(world)).toBeGreaterThan(0)
  })

  test('has every function called here', () => {
    const names: ReadonlyArray<string> = JSON.parse(
      new Script(
        "JSON.stringify(Object.keys(api).filter((name) => typeof api[name] === 'function'))"
      ).runInContext(bareWorld())
    )
    expect(Object.keys(calls).sort()).toEqual([...names].sort())
  })

  test.each(Object.entries(calls))('%s answers, and leaves frozen input as it is', (_, call) => {
    expect(new Script(call).runInContext(bareWorld())).toBeDefined()
  })

  test('would be caught writing to its input', () => {
    const write = "(() => { 'use strict'; freeze({ a: [1] }).a.push(2) })()"
    expect(() => new Script(write).runInContext(bareWorld())).toThrow(/not extensible/)
  })
})
