import { beforeEach, expect, test, vi } from 'vitest'
import { emptyState, type State } from '../store/state.ts'
import { findMessage } from './findMessage.ts'

const CHANNEL = '00000000-0000-4000-8000-000000000001'
const PHARMACY = '00000000-0000-4000-8000-000000000002'
const ID = '00000000-0000-4000-8000-000000000003'
const COPY = '00000000-0000-4000-8000-000000000004'

const row = { id: ID, channel_id: CHANNEL, seq: 7, thread_root: null, thread_seq: null, deleted_at: null }
const moved = {
  ...row,
  deleted_at: '2026-11-29T12:00:00Z',
  extras: { moved_to: { message_id: COPY, by: 'ann' } },
}
const copy = { ...row, id: COPY, channel_id: PHARMACY, seq: 9 }

const shared = vi.hoisted(() => ({ state: null as unknown, server: null as unknown, requests: 0 }))

vi.mock('../session/clientSession.ts', () => ({
  getClientSession: () => ({ store: { get: () => shared.state } }),
}))
vi.mock('../client/runQuery.ts', () => ({
  runQuery: (query: (client: object) => unknown) => {
    shared.requests++
    let id: unknown
    const builder: object = new Proxy(
      {},
      {
        get: (_target, name) => (_column: string, value: unknown) => {
          if (name === 'eq') id = value
          return builder
        },
      },
    )
    query(builder)
    const server = shared.server as Map<unknown, unknown> | null
    return Promise.resolve(
      server ? { ok: true, value: server.get(id) ?? null } : { ok: false, failure: { isRetryable: true } },
    )
  },
}))

/** The state of a browser with the message loaded as it was before the move. */
function stateBeforeMove(source: State['source'], announced: number): State {
  const rows = { rev: 5, messages: new Map([[ID, row]]), entry: { counters: { rev: announced } } }
  return { ...emptyState, source, channels: new Map([[CHANNEL, rows as never]]) }
}

beforeEach(() => {
  shared.requests = 0
  shared.server = new Map<string, object>([
    [ID, moved],
    [COPY, copy],
  ])
})

test.each([
  ['this browser stored', stateBeforeMove('cached', 5)],
  ['lacks announced changes', stateBeforeMove('live', 6)],
])('the link to a moved message leads to its copy, also if the loaded row %s', async (_, state) => {
  shared.state = state
  expect(await findMessage(CHANNEL, ID)).toEqual({ ok: true, value: { path: `/c/${PHARMACY}/m/${COPY}` } })
})

test('a message that is loaded and up to date is found without a request', async () => {
  shared.state = stateBeforeMove('live', 5)
  expect(await findMessage(CHANNEL, ID)).toEqual({ ok: true, value: { seq: 7 } })
  expect(shared.requests).toBe(0)
})

test('a message that this browser stored is found without a connection', async () => {
  shared.state = stateBeforeMove('cached', 5)
  shared.server = null
  expect(await findMessage(CHANNEL, ID)).toEqual({ ok: true, value: { seq: 7 } })
})
