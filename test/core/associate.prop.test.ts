/** Association, compared with the oracle on any turn. */
import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { associateReasoning } from '../../src/index.js'
import { items } from '../support/arbitraries.js'
import { oracleAssociate } from '../support/oracle.js'
import { isReasoning } from '../support/oracle-turn.js'

describe('associateReasoning', () => {
  test.prop({ items, association: fc.constantFrom('next' as const, 'segment' as const) })(
    'equals the oracle on every turn, under both associations [REASON-1 to REASON-6]',
    (question) => {
      expect(associateReasoning(question)).toEqual(oracleAssociate(question))
    }
  )

  test.prop({ items })('names an owner that stands behind the reasoning [REASON-1]', ({ items: turn }) => {
    const { owner } = associateReasoning({ items: turn })
    const positions = turn.flatMap((item, position) => (isReasoning(item) ? [position] : []))
    expect(owner).toHaveLength(positions.length)
    for (const [index, position] of positions.entries())
      expect(owner[index] ?? Infinity).toBeGreaterThan(position)
  })
})
