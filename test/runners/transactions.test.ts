import {
  type AgentInputItem,
  isSessionHistoryTransactionAwareSession,
  MemorySession,
  type Session
} from '@openai/agents-core'
import { expect, test } from 'vitest'
import { withTransactions } from '../../src/runners/openai-agents.js'
import { plainSession } from '../support/agents-sessions.js'

const item = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content })

const contents = async (session: Session): Promise<ReadonlyArray<unknown>> =>
  (await session.getItems()).map((stored) => (stored as { content?: unknown }).content)

test('a session gets history transactions, and one that has them is returned as it is', () => {
  const plain = plainSession()
  expect(isSessionHistoryTransactionAwareSession(plain)).toBe(false)
  const session = withTransactions(plain)
  expect(isSessionHistoryTransactionAwareSession(session)).toBe(true)
  expect('applyHistoryTransaction' in session).toBe(true)
  expect(withTransactions(plain)).toBe(session)
  expect(withTransactions(session)).toBe(session)
  const own = new MemorySession()
  expect(withTransactions(own)).toBe(own)
})

test('an operation is applied once, and its id cannot be used for another', async () => {
  const session = withTransactions(plainSession())
  const append = { operationId: 'o1', transaction: { type: 'append_items' as const, items: [item('a')] } }
  await session.applyHistoryTransaction(append)
  await session.applyHistoryTransaction(structuredClone(append))
  expect(await contents(session)).toEqual(['a'])
  const other = { ...append, transaction: { ...append.transaction, items: [item('b')] } }
  await expect(session.applyHistoryTransaction(other)).rejects.toMatchObject({
    kind: 'rejected',
    path: 'operationId'
  })
  await expect(session.applyHistoryTransaction({ ...append, operationId: ' ' })).rejects.toMatchObject({
    path: 'operationId'
  })
  expect(await contents(session)).toEqual(['a'])
})

test('a suffix is replaced only where it is the one that is expected, whatever the order of its fields', async () => {
  const session = withTransactions(plainSession())
  await session.addItems([item('a'), item('b'), item('c')])
  const replace = (operationId: string, expectedSuffix: AgentInputItem[], replacement: AgentInputItem[]) =>
    session.applyHistoryTransaction({
      operationId,
      transaction: { type: 'replace_suffix', expectedSuffix, replacement }
    })
  await replace(
    'o1',
    [item('b'), { content: 'c', role: 'user', type: 'message' }],
    [item('b'), item('d'), item('e')]
  )
  expect(await contents(session)).toEqual(['a', 'b', 'd', 'e'])
  await expect(replace('o2', [item('c')], [item('x')])).rejects.toMatchObject({
    kind: 'rejected',
    path: 'transaction.expectedSuffix'
  })
  await replace('o3', [item('e')], [])
  await replace('o4', [], [item('f')])
  expect(await contents(session)).toEqual(['a', 'b', 'd', 'f'])
})

test('items in front that stay the same are not taken away', async () => {
  const plain = plainSession()
  let popped = 0
  const session = withTransactions({
    ...plain,
    popItem: async () => {
      popped += 1
      return plain.popItem()
    }
  })
  await session.addItems([item('a'), item('b')])
  await session.applyHistoryTransaction({
    operationId: 'o1',
    transaction: {
      type: 'replace_suffix',
      expectedSuffix: [item('a'), item('b')],
      replacement: [item('a'), item('c')]
    }
  })
  expect(popped).toBe(1)
  expect(await contents(session)).toEqual(['a', 'c'])
})

test('an operation that failed may be tried again', async () => {
  const plain = plainSession()
  let down = true
  const session = withTransactions({
    ...plain,
    addItems: async (items) => (down ? Promise.reject(new Error('disk')) : plain.addItems(items))
  })
  const append = { operationId: 'o1', transaction: { type: 'append_items' as const, items: [item('a')] } }
  await expect(session.applyHistoryTransaction(append)).rejects.toThrow('disk')
  down = false
  await session.applyHistoryTransaction(append)
  expect(await contents(session)).toEqual(['a'])
})

test('what was taken away is put back when the new items are refused', async () => {
  const plain = plainSession()
  const session = withTransactions({
    ...plain,
    addItems: async (items) =>
      items.some((added) => JSON.stringify(added).includes('bad'))
        ? Promise.reject(new Error('refused'))
        : plain.addItems(items)
  })
  await session.addItems([item('a'), item('b')])
  const transaction = {
    type: 'replace_suffix' as const,
    expectedSuffix: [item('b')],
    replacement: [item('bad')]
  }
  await expect(session.applyHistoryTransaction({ operationId: 'o1', transaction })).rejects.toThrow('refused')
  expect(await contents(session)).toEqual(['a', 'b'])
})

test('a session with private fields works, and its own methods stay', async () => {
  class Private implements Session {
    readonly #items: AgentInputItem[] = []
    async getSessionId(): Promise<string> {
      return 'private'
    }
    async getItems(limit = this.#items.length): Promise<AgentInputItem[]> {
      return limit <= 0 ? [] : this.#items.slice(-limit)
    }
    async addItems(items: AgentInputItem[]): Promise<void> {
      this.#items.push(...items)
    }
    async popItem(): Promise<AgentInputItem | undefined> {
      return this.#items.pop()
    }
    async clearSession(): Promise<void> {
      this.#items.length = 0
    }
    size(): number {
      return this.#items.length
    }
  }
  const session = withTransactions(new Private())
  await session.applyHistoryTransaction({
    operationId: 'o1',
    transaction: { type: 'append_items', items: [item('a')] }
  })
  expect(session.size()).toBe(1)
  expect(session).toBeInstanceOf(Private)
  expect(await session.getSessionId()).toBe('private')
})

test('bytes are stored as the SDK stores them, and a field named __proto__ is data', async () => {
  const session = withTransactions(plainSession())
  const odd = JSON.parse(
    '{"type":"message","role":"user","content":"a","providerData":{"__proto__":{"x":1}}}'
  ) as AgentInputItem
  const image = {
    type: 'function_call_result',
    callId: 'c1',
    name: 'shot',
    status: 'completed',
    output: { type: 'image', image: { data: new Uint8Array([1, 2, 3, 250]), mediaType: 'image/png' } }
  } as unknown as AgentInputItem
  await session.applyHistoryTransaction({
    operationId: 'o1',
    transaction: { type: 'append_items', items: [odd, image] }
  })
  const [stored, shot] = await session.getItems()
  expect(JSON.stringify(stored)).toBe(JSON.stringify(odd))
  expect(shot).toMatchObject({ output: { image: { data: 'data:image/png;base64,AQID+g==' } } })
})
