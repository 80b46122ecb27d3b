import { expect, test, vi } from 'vitest'
import { pinnedMessages } from './pins.ts'

const PINNED = vi.hoisted(() => Array.from({ length: 120 }, (_, n) => `message ${n}`))

vi.mock('../client/runQuery.ts', () => ({
  runQuery: (query: (client: object) => unknown) => {
    let limit = Infinity
    const builder: object = new Proxy(
      {},
      {
        get: (_target, name) => (value: number) => {
          if (name === 'limit') limit = value
          return builder
        },
      },
    )
    query(builder)
    return Promise.resolve({ ok: true, value: PINNED.slice(0, limit).map((message_id) => ({ message_id })) })
  },
}))
vi.mock('../client/callCommand.ts', () => ({
  callCommand: (_name: string, { ids }: { ids: string[] }) =>
    Promise.resolve(
      ids.length > 50
        ? { ok: false, failure: { name: 'too_many' } }
        : { ok: true, value: { messages: ids.filter((id) => id !== 'message 7').map((id) => ({ id })) } },
    ),
}))
vi.mock('./applyMessage.ts', () => ({ applyMessage: () => Promise.reject(new Error('not called')) }))

test('all pinned messages of a channel that the reader may read are listed, in order', async () => {
  const outcome = await pinnedMessages('channel')
  expect(outcome.ok && outcome.value.map(({ id }) => id)).toEqual(PINNED.filter((id) => id !== 'message 7'))
})
