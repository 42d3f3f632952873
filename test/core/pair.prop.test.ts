/** Pairing, compared with the oracle on any turn. */
import { test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { pairCalls } from '../../src/index.js'
import { items, openCalls } from '../support/arbitraries.js'
import { oraclePair } from '../support/oracle.js'

describe('pairCalls', () => {
  test.prop({ items, open: openCalls })('equals the oracle on every turn [PAIR-1 to PAIR-12]', (question) => {
    expect(pairCalls(question)).toEqual(oraclePair(question))
  })

  test.prop({ items, open: openCalls })('uses no call and no output twice [PAIR-4]', (question) => {
    const { pairs, unpaired } = pairCalls(question)
    const used = [...pairs.flat(), ...unpaired]
    expect(new Set(used).size).toBe(used.length)
  })
})
