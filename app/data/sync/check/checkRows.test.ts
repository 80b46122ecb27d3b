import { describe, expect, it } from 'vitest'
import type { Recount } from '../../../../wire/activity.ts'
import type { Message } from '../../../../wire/messages.ts'
import type { Outcome } from '../../failures/failures.ts'
import { applyEvent } from '../../store/applyEvent.ts'
import {
  buildBootstrap,
  buildChannelEntry,
  buildMessage,
  buildPage,
  buildThread,
  LOBBY,
  ME,
  OTHER,
} from '../../store/buildRows.fixture.ts'
import { checkRows } from './checkRows.ts'
import type { CheckResult } from './checkRows.ts'
import { createEngine } from '../engine.ts'
import type { Ports } from '../ports.ts'
import type { ChannelRows, State } from '../../store/state.ts'
import { createStore } from '../../store/store.ts'

const ROOT = buildMessage(3).id
const SIDE = '10000000-0000-4000-8000-000000000002'
const section = { id: 'section', name: 'Wards', position: 1, collapsed: false, rev: 0 }

/** A server, and a client that has fetched its rows, in which the test can introduce faults. */
async function createFixture() {
  const thread = buildThread({ rev: 12 })
  const counters = { last_seq: 10, rev: 12, meta_rev: 1, epoch: 1 }
  const lobby = buildChannelEntry({
    counters,
    state: { ...buildChannelEntry().state, last_read_seq: 8 },
    counts: { unread: 2, mentions: 0 },
    last_message_at: '2026-01-01T10:00:00Z',
  })
  const side = buildChannelEntry({ channel: { ...buildChannelEntry().channel, id: SIDE, name: 'side' } })
  const replies = [4, 5].map((number) =>
    buildMessage(100 + number, { seq: null, history_seq: 3, thread_root: ROOT, thread_seq: number, rev: 12 }),
  )
  const messages = buildPage(1, 10).messages.map((one) =>
    one.id === ROOT ? Object.assign(one, { rev: 12, last_thread_seq: 5, reply_count: 2 }) : one,
  )
  const page = (after: number): { messages: Message[]; has_after: boolean } => ({
    messages: messages.filter((one) => (one.seq ?? 0) > after),
    has_after: false,
  })
  const recount: Recount = { channels: [], threads: [] }
  const responses: Record<string, (args: Record<string, unknown>) => unknown> = {
    recount_unread: () => recount,
    bootstrap: () => buildBootstrap([lobby, side], { threads: [thread], sections: [section] }),
    channel_page: ({ after }) => ({
      ...buildPage(1, 10, { rev: 12 }),
      ...page(Number(after ?? 0)),
    }),
    thread_page: ({ after }) => ({
      channel_id: LOBBY,
      root: messages[2],
      state: thread,
      messages: replies.filter((one) => (one.thread_seq ?? 0) > Number(after ?? 3)),
      has_before: true,
      has_after: false,
      epoch: 1,
      rev: 12,
    }),
    thread_states: ({ roots }) => ({ threads: (roots as string[]).includes(ROOT) ? [thread] : [] }),
    channel_changes: () => ({ channel_id: LOBBY, reset: true, entry: lobby, epoch: 1, rev: 12 }),
  }
  let onRequest = (_name: string) => {}
  const ports: Ports = {
    call: async (name, args) => {
      onRequest(name)
      const response = responses[name]
      if (!response) return { ok: false, failure: { name: 'network', message: '', isRetryable: true } }
      const value = response(args as Record<string, unknown>)
      return { ok: true, value: structuredClone(value) } as Outcome<never>
    },
    subscribe: (_topic, listener) => {
      queueMicrotask(listener.joined)
      return () => {}
    },
    now: () => 0,
    after: (ms, run) => {
      const timer = ms < 5_000 ? setTimeout(run, 0) : undefined
      return () => clearTimeout(timer)
    },
    random: () => 0,
    visible: () => true,
  }
  let breaking: ((state: State) => State) | null = null
  const store = createStore((state, event) => {
    const how = breaking
    breaking = null
    return how ? how(state) : applyEvent(state, event)
  })
  const engine = createEngine({ store, ports })
  engine.start()
  engine.open(LOBBY)
  const rest = async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      // oxlint-disable-next-line no-await-in-loop -- until nothing runs
      await new Promise((resolve) => {
        setTimeout(resolve, 0)
      })
    }
  }
  await rest()
  for (const name of ['channel_page', 'thread_page'] as const) {
    const value = responses[name]?.({})
    store.dispatch({ type: 'pageReceived', page: value, request: {} } as never)
  }
  await rest()
  const damage = (how: (state: State) => State) => {
    breaking = how
    store.dispatch({ type: 'channelRemoved', channelId: 'none' })
  }
  const check = async (): Promise<CheckResult> => {
    const outcome = await checkRows(store, ports)
    if (!outcome.ok) throw new Error(outcome.failure.name)
    await rest()
    return outcome.value
  }
  return {
    store,
    engine,
    damage,
    recount,
    check,
    whenRequested: (run: (name: string) => void) => {
      onRequest = run
    },
  }
}

const inLobby = (how: (rows: ChannelRows) => ChannelRows) => (state: State) => {
  const rows = state.channels.get(LOBBY)
  return rows ? { ...state, channels: new Map(state.channels).set(LOBBY, how(rows)) } : state
}
const inEntry = (change: Partial<ChannelRows['entry']>) =>
  inLobby((rows) => ({ ...rows, entry: { ...rows.entry, ...change } }))
const inMessage = (id: string, change: Partial<Message>) =>
  inLobby((rows) => {
    const message = rows.messages.get(id)
    return message ? { ...rows, messages: new Map(rows.messages).set(id, { ...message, ...change }) } : rows
  })

const damages: [string, (state: State) => State, string[]][] = [
  ['me', (state) => ({ ...state, me: state.me && { ...state.me, role: 'guest' } }), ['me']],
  [
    'a workspace',
    (state) => ({ ...state, workspace: { id: state.workspace?.id ?? '', name: 'No' } }),
    ['workspace'],
  ],
  [
    'a person who is not here',
    (state) => ({ ...state, members: new Map([...state.members].filter(([id]) => id !== OTHER)) }),
    ['person'],
  ],
  ['sections', (state) => ({ ...state, sections: [] }), ['sections']],
  [
    'a channel that is missing',
    (state) => ({ ...state, channels: new Map([...state.channels].filter(([id]) => id !== SIDE)) }),
    ['membership'],
  ],
  [
    'a channel that is not for us',
    (state) => {
      const rows = state.channels.get(LOBBY) as ChannelRows
      const entry = { ...rows.entry, channel: { ...rows.entry.channel, id: 'unknown' } }
      return {
        ...state,
        channels: new Map(state.channels).set('unknown', { ...rows, entry, windows: [], threads: new Map() }),
      }
    },
    ['membership'],
  ],
  ['a name', inEntry({ channel: { ...buildChannelEntry().channel, name: 'No' } }), ['channel']],
  [
    'a pointer',
    inEntry({ state: { ...buildChannelEntry().state, last_read_seq: 10 } }),
    ['readState', 'unread'],
  ],
  [
    'a pointer of a later version',
    inEntry({ state: { ...buildChannelEntry().state, last_read_seq: 8, read_version: 9 } }),
    ['readState'],
  ],
  ['counters', inEntry({ counters: { last_seq: 10, rev: 12, meta_rev: 9, epoch: 1 } }), ['counters']],
  ['a time', inEntry({ last_message_at: '2030-01-01T00:00:00Z' }), ['lastMessage']],
  ['words', inMessage(buildMessage(5).id, { body: 'No' }), ['message']],
  [
    'a reaction',
    inMessage(buildMessage(5).id, { reactions: [{ emoji: '👍', count: 1, people: [ME] }] }),
    ['message'],
  ],
  ['words of a thread', inMessage(buildMessage(105).id, { body: 'No' }), ['message']],
  [
    'a message that is missing',
    inLobby((rows) => ({ ...rows, byNumber: new Map([...rows.byNumber].filter(([seq]) => seq !== 5)) })),
    ['message'],
  ],
  [
    'unread replies',
    (state) => ({
      ...state,
      threads: new Map([[ROOT, buildThread({ counts: { unread: 9, mentions: 1 } })]]),
    }),
    ['thread'],
  ],
  [
    'a thread of a later version',
    (state) => ({ ...state, threads: new Map([[ROOT, buildThread({ read_version: 9 })]]) }),
    ['thread'],
  ],
  ['a thread that is missing', (state) => ({ ...state, threads: new Map() }), ['thread']],
]

describe('a check of what is shown', () => {
  it('finds nothing where all is equal', async () => {
    const { check, engine } = await createFixture()
    expect(await check()).toMatchObject({ compared: 32, differences: [] })
    engine.stop()
  })

  it.each(damages)('finds and mends %s', async (_name, how, what) => {
    const { damage, check, engine } = await createFixture()
    damage(how)
    const found = await check()
    expect(found.differences.map((one) => one.what).sort()).toEqual([...what].sort())
    expect((await check()).differences).toEqual([])
    engine.stop()
  })

  it('finds unread counts where no messages are loaded', async () => {
    const { damage, check, engine, store } = await createFixture()
    damage((state) => {
      const rows = state.channels.get(SIDE) as ChannelRows
      const entry = { ...rows.entry, state: { ...rows.entry.state, last_read_seq: 1 } }
      const wrong = { ...entry, counts: { unread: 7, mentions: 2 } }
      return { ...state, channels: new Map(state.channels).set(SIDE, { ...rows, entry: wrong }) }
    })
    expect((await check()).differences.map((one) => one.what)).toEqual(['readState', 'unread', 'mentions'])
    expect(store.get().channels.get(SIDE)?.entry.counts).toEqual({ unread: 0, mentions: 0 })
    engine.stop()
  })

  it('trusts a count of the messages more than the counts that the server sends', async () => {
    const { check, engine, store, recount } = await createFixture()
    recount.channels = [{ channel_id: SIDE, unread: 0, mentions: 0 }]
    recount.threads = [{ root_id: ROOT, unread: 1, mentions: 1 }]
    const found = await check()
    expect(found.differences.map((one) => one.what)).toEqual(['thread'])
    expect(found).toMatchObject({ recount })
    expect(store.get().threads.get(ROOT)?.counts).toEqual({ unread: 1, mentions: 1 })
    expect((await check()).differences).toEqual([])
    engine.stop()
  })

  it('does not count what is on its way', async () => {
    const { damage, check, engine, whenRequested } = await createFixture()
    damage(inMessage(buildMessage(5).id, { body: 'old' }))
    let rounds = 0
    whenRequested((name) => {
      if (name !== 'bootstrap') return
      rounds += 1
      // The change arrives while the second fetch is made.
      if (rounds === 2) damage(inMessage(buildMessage(5).id, { body: 'message 5' }))
    })
    expect((await check()).differences).toEqual([])
    expect(rounds).toBe(2)
    engine.stop()
  })
})
