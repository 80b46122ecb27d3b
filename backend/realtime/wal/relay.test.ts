import { expect, it } from 'vitest'
import type { Pool } from '../../postgres/connections/pool.ts'
import type { Hub } from '../hub.ts'
import type { WalMessage } from './walMessage.ts'
import { createRelay } from './relay.ts'

const message: WalMessage = {
  id: 'an id',
  topic: 'room',
  private: true,
  broadcast: { event: 'e', encoding: 'json', body: Buffer.from('{}'), meta: { id: 'an id' } },
}

it('reports messages as lost after several failed attempts to fill a gap, and continues', async () => {
  let [lost, published] = [0, 0]
  const away = (): Promise<never> => Promise.reject(new Error('permission denied'))
  const relay = createRelay({
    hub: { has: () => true, size: () => 1, publish: () => (published += 1) } as unknown as Hub,
    pool: { query: away, transaction: away } as unknown as Pool,
    takeDatabaseEvents: () => true,
    maxPayloadBytes: 1_000,
    position: () => 0n,
    endSubscriptions() {},
    onLost: () => (lost += 1),
    log: { info() {}, warn() {}, error() {} },
  })
  for (let attempt = 1; attempt < 5; attempt++) await expect(relay.fillGap()).rejects.toThrow('not known')
  expect(lost).toBe(0)
  await relay.fillGap()
  expect(lost).toBe(1)
  relay.publishFromWal(message)
  expect(published).toBe(1)
  relay.close()
})

it('does not publish what exceeds the rate, and publishes again later', () => {
  const published: string[] = []
  const counted: unknown[] = []
  const relay = createRelay({
    hub: {
      has: () => true,
      size: () => 2,
      publish: (key: string) => published.push(key),
    } as unknown as Hub,
    pool: { query: () => new Promise(() => {}) } as unknown as Pool,
    takeDatabaseEvents: (amount, topic) => counted.push([amount, topic]) !== 2,
    maxPayloadBytes: 1_000,
    position: () => 0n,
    endSubscriptions() {},
    onLost() {},
    log: { info() {}, warn() {}, error() {} },
  })
  for (const id of ['a', 'b', 'c']) relay.publishFromWal({ ...message, id })
  expect(counted).toEqual([
    [3, 'room'],
    [3, 'room'],
    [3, 'room'],
  ])
  expect(published).toHaveLength(2)
  relay.close()
})
