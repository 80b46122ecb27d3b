import { expect, it } from 'vitest'
import type { Pool } from '../../postgres/connections/pool.ts'
import type { Hub } from '../hub.ts'
import type { WalMessage } from './walMessage.ts'
import { createRateCounter } from '../rateCounter.ts'
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
    hub: { has: () => true, publish: () => (published += 1) } as unknown as Hub,
    pool: { query: away, transaction: away } as unknown as Pool,
    events: createRateCounter(Infinity),
    maxPayloadBytes: 1_000,
    position: () => 0n,
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
