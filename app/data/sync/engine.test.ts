import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  buildBootstrap,
  buildChannelEntry,
  buildHeartbeat,
  buildMessage,
  buildPage,
  buildThread,
  LOBBY,
  ME,
  WORKSPACE,
} from '../store/buildRows.fixture.ts'
import { createTestEngine, heartbeatOf } from './createTestEngine.fixture.ts'

describe('with several workspaces', () => {
  it('requests the one that was shown last, and keeps requesting the shown one', async () => {
    const { engine, take: takeRequest } = createTestEngine({ workspace: 'last' })
    engine.start()
    const first = takeRequest('bootstrap')
    expect(first.args).toEqual({ workspace: 'last' })
    await first.respond(buildBootstrap([buildChannelEntry()]))
    engine.refresh()
    expect(takeRequest('bootstrap').args).toMatchObject({ workspace: WORKSPACE })
  })

  it('reports that the user is no longer in the shown one', async () => {
    const onWorkspaceEnded = vi.fn()
    const { engine, begin, store, take: takeRequest, isRequested } = createTestEngine({ onWorkspaceEnded })
    await begin([buildChannelEntry()])
    const shown = store.get().workspace?.id
    engine.refresh()
    await takeRequest('bootstrap').refuse('not_found', false)
    expect(onWorkspaceEnded.mock.calls).toEqual([[shown]])
    expect(isRequested('bootstrap')).toBe(false)
  })

  it('starts again once the shown one requires a second factor, although what was sent is kept', async () => {
    const { engine, begin, take: takeRequest, isRequested } = createTestEngine()
    await begin([buildChannelEntry()])
    engine.sendHeartbeat()
    await takeRequest('heartbeat').refuse('network', true)
    expect(isRequested('bootstrap')).toBe(false)
    engine.sendHeartbeat()
    await takeRequest('heartbeat').refuse('second_factor_required', true)
    expect(isRequested('bootstrap')).toBe(true)
  })

  it('opens a channel of another one there, and shows nothing of it here', async () => {
    const onOtherWorkspace = vi.fn()
    const { engine, begin, store, topics, take: takeRequest } = createTestEngine({ onOtherWorkspace })
    await begin([buildChannelEntry()])
    const entry = buildChannelEntry({
      channel: { ...buildChannelEntry().channel, id: 'there', workspace_id: 'other' },
    })
    const found = engine.fetchEntry('there')
    await takeRequest('channel_changes').respond({
      reset: true,
      channel_id: 'there',
      entry,
      epoch: 1,
      rev: 1,
    })
    expect(await found).toBe(true)
    expect(onOtherWorkspace).toHaveBeenCalledWith('other')
    topics.get(`user:${ME}`)?.received({ event: 'membership', payload: { channel_id: 'there', entry } })
    expect([...store.get().channels.keys()]).toEqual([LOBBY])
  })
})

describe('gaps', () => {
  it('are fetched once, after a delay in which they may close', async () => {
    const { begin, topics, pass: advanceTime, store, take: takeRequest, isRequested } = createTestEngine()
    await begin([buildChannelEntry()])
    store.dispatch({ type: 'pageReceived', page: buildPage(1, 10), request: {} })
    const publish = (seq: number, rev = seq) =>
      topics.get(`channel:${LOBBY}:1`)?.received({
        event: 'message',
        payload: { channel_id: LOBBY, rev, message: buildMessage(seq, { rev }) },
      })
    const changes = { channel_id: LOBBY, reset: false as const, entry: null, epoch: 1 }
    publish(12)
    publish(13)
    expect(isRequested('channel_changes')).toBe(false)
    await advanceTime(120)
    const messages = [11, 12, 13].map((seq) => buildMessage(seq))
    await takeRequest('channel_changes').respond({ ...changes, messages, rev: 13 })
    expect(store.get().channels.get(LOBBY)?.windows).toEqual([{ from: 1, to: 13 }])
    // An edit and a new message, one overtaken by the other.
    publish(3, 15)
    publish(14)
    await advanceTime(120)
    expect(isRequested('channel_changes')).toBe(false)
    // Of two new ones the later can't be shown yet, and must not be forgotten.
    publish(16, 17)
    publish(15, 16)
    await advanceTime(120)
    const both = [buildMessage(15, { rev: 16 }), buildMessage(16, { rev: 17 })]
    await takeRequest('channel_changes').respond({ ...changes, messages: both, rev: 17 })
    expect(store.get().channels.get(LOBBY)?.windows).toEqual([{ from: 1, to: 16 }])
  })
})

it('fetches a person once who was in no event', async () => {
  const { begin, topics, take: takeRequest, isRequested } = createTestEngine()
  await begin([buildChannelEntry()])
  const publish = (seq: number) =>
    topics.get(`channel:${LOBBY}:1`)?.received({
      event: 'message',
      payload: {
        channel_id: LOBBY,
        rev: seq,
        message: buildMessage(seq, { author_id: 'an unknown person' }),
      },
    })
  publish(11)
  await takeRequest('bootstrap').respond(buildBootstrap([buildChannelEntry()]))
  publish(12)
  expect(isRequested('bootstrap')).toBe(false)
})

describe('heartbeats', () => {
  it('contain a channel whose event was lost', async () => {
    const { begin, engine, take: takeRequest, store, isRequested } = createTestEngine()
    await begin([buildChannelEntry()])
    engine.sendHeartbeat()
    await takeRequest('heartbeat').respond(
      heartbeatOf([
        { id: LOBBY, rev: 10 },
        { id: 'new', rev: 1 },
      ]),
    )
    expect([...store.get().channels.keys()]).toEqual([LOBBY, 'new'])
    expect(isRequested('bootstrap')).toBe(false)
  })

  it('send the digests of the rows that are as the server described them', async () => {
    const { begin, engine, take: takeRequest, store } = createTestEngine()
    await begin([buildChannelEntry()])
    engine.sendHeartbeat()
    const digests = { channels: 'abcdef'.repeat(64), sections: 'ghijkl' }
    await takeRequest('heartbeat').respond({ ...heartbeatOf([{ id: LOBBY, rev: 10 }]), digests })
    engine.sendHeartbeat()
    const sent = takeRequest('heartbeat')
    expect(sent.args).toMatchObject({ stored: digests })
    // An event changes the lobby while the heartbeat is on its way, whose response has nothing to say about it.
    store.dispatch({
      type: 'channelEventReceived',
      event: { event: 'rev', payload: { channel_id: LOBBY, rev: 11 } },
    })
    await sent.respond({ ...heartbeatOf([]), digests: {} })
    expect(store.get().channels.get(LOBBY)?.entry.counters.rev).toBe(11)
    expect(store.get().digests.channels).toBe(`......${'abcdef'.repeat(63)}`)
    expect(store.get().digests.sections).toBe('ghijkl')
  })

  it('are sent at intervals, which are shorter while a conversation is open', async () => {
    const { begin, engine, pass: advanceTime, isRequested, take: takeRequest } = createTestEngine()
    await begin([buildChannelEntry()])
    await advanceTime(30_000)
    expect(isRequested('heartbeat')).toBe(false)
    await advanceTime(30_000)
    await takeRequest('heartbeat').respond(heartbeatOf([{ id: LOBBY, rev: 10 }]))
    engine.open(LOBBY)
    await advanceTime(20_000)
    expect(isRequested('heartbeat')).toBe(true)
  })

  it('bootstrap again after the own topic was away, since anything may have been missed', async () => {
    const { begin, topics, isRequested } = createTestEngine()
    await begin([buildChannelEntry()])
    topics.get(`user:${ME}`)?.joined()
    expect(isRequested('bootstrap')).toBe(false)
    topics.get(`user:${ME}`)?.joined()
    expect(isRequested('bootstrap')).toBe(true)
  })
})

describe('responses that events overtook', () => {
  it('do not end a channel that is there again', async () => {
    const { begin, engine, take: takeRequest, store, pass: advanceTime } = createTestEngine()
    await begin([buildChannelEntry()])
    store.dispatch({ type: 'pageReceived', page: buildPage(1, 10), request: {} })
    engine.open(LOBBY)
    store.dispatch({
      type: 'channelEventReceived',
      event: { event: 'rev', payload: { channel_id: LOBBY, rev: 11 } },
    })
    await advanceTime(120)
    const requests = takeRequest('channel_changes')
    const counters = { last_seq: 12, rev: 13, meta_rev: 13, epoch: 2 }
    const event = { event: 'membership' as const, payload: { channel_id: LOBBY, entry: null } }
    store.dispatch({ type: 'userEventReceived', event })
    const entry = buildChannelEntry({ counters })
    store.dispatch({ type: 'userEventReceived', event: { ...event, payload: { channel_id: LOBBY, entry } } })
    await requests.refuse('not_found', false)
    expect(store.get().channels.has(LOBBY)).toBe(true)
    expect(takeRequest('channel_changes').args).toEqual({ channel: LOBBY, after_rev: 13 })
  })

  it('contain a name that changed without an event, also where no messages are loaded', async () => {
    const { begin, engine, take: takeRequest, store } = createTestEngine()
    await begin([buildChannelEntry()])
    engine.sendHeartbeat()
    const entry = buildChannelEntry({ counters: { last_seq: 10, rev: 12, meta_rev: 12, epoch: 1 } })
    entry.channel = { ...entry.channel, name: 'reception' }
    await takeRequest('heartbeat').respond(buildHeartbeat([entry]))
    expect(store.get().channels.get(LOBBY)?.entry.channel.name).toBe('reception')
  })

  it('do not report a channel read without membership: its entry is fetched when it is opened again', async () => {
    const { begin, engine, take: takeRequest, store, isRequested, topics } = createTestEngine()
    await begin([])
    store.dispatch({ type: 'entryReceived', entry: buildChannelEntry({ member: false, channel_role: null }) })
    engine.open(LOBBY)()
    topics.get(`channel:${LOBBY}:1`)?.joined()
    while (isRequested('channel_changes')) {
      const entry = buildChannelEntry({ member: false, channel_role: null })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await takeRequest('channel_changes').respond({
        channel_id: LOBBY,
        reset: true,
        entry,
        epoch: 1,
        rev: 10,
      })
    }
    engine.open(LOBBY)
    const counters = { last_seq: 10, rev: 11, meta_rev: 11, epoch: 1 }
    const entry = buildChannelEntry({ member: false, channel_role: null, counters })
    await takeRequest('channel_changes').respond({ channel_id: LOBBY, reset: true, entry, epoch: 1, rev: 11 })
    expect(store.get().channels.get(LOBBY)?.entry.counters.meta_rev).toBe(11)
  })

  it('of a heartbeat from before the page slept are requested again', async () => {
    const { begin, engine, take: takeRequest, pass: advanceTime, isRequested } = createTestEngine()
    await begin([buildChannelEntry()])
    engine.sendHeartbeat()
    await advanceTime(10_000)
    engine.sendHeartbeat()
    await takeRequest('heartbeat').respond(heartbeatOf([{ id: LOBBY, rev: 10 }]))
    expect(isRequested('heartbeat')).toBe(true)
  })

  it('of a bootstrap that something ended meanwhile are followed by another', async () => {
    const { engine, take: takeRequest, isRequested } = createTestEngine()
    engine.start()
    engine.refresh()
    engine.refresh()
    await takeRequest('bootstrap').respond(buildBootstrap([buildChannelEntry()]))
    await takeRequest('bootstrap').respond(buildBootstrap([buildChannelEntry()]))
    expect(isRequested('bootstrap')).toBe(false)
  })
})

it('requests the bootstrap again also after a refusal, which may be temporary', async () => {
  const { engine, take: takeRequest, pass: advanceTime, store } = createTestEngine()
  engine.start()
  await takeRequest('bootstrap').refuse('PGRST202', false)
  await advanceTime(1_000)
  await takeRequest('bootstrap').respond(buildBootstrap([buildChannelEntry()]))
  expect(store.get().source).toBe('live')
})

describe('a response that can not be applied', () => {
  const reported = vi.fn()
  afterEach(() => {
    vi.unstubAllGlobals()
    reported.mockReset()
  })

  /** A subscriber of the store throws once. */
  function failOnce({ store }: ReturnType<typeof createTestEngine>) {
    vi.stubGlobal('reportError', reported)
    const unsubscribe = store.subscribe(() => {
      unsubscribe()
      throw new Error('not applied')
    })
  }

  it('is requested again with backoff: changes of a channel', async () => {
    const tested = createTestEngine()
    const { begin, engine, take: takeRequest, pass: advanceTime, isRequested, store } = tested
    await begin([buildChannelEntry()])
    store.dispatch({ type: 'pageReceived', page: buildPage(1, 10), request: {} })
    engine.open(LOBBY)
    const changes = { channel_id: LOBBY, reset: false as const, entry: null, epoch: 1 }
    const messages = [buildMessage(11, { rev: 11 })]
    while (isRequested('channel_changes'))
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await takeRequest('channel_changes').respond({ ...changes, messages: [], rev: 10 })
    store.dispatch({
      type: 'channelEventReceived',
      event: { event: 'rev', payload: { channel_id: LOBBY, rev: 11 } },
    })
    await advanceTime(120)
    failOnce(tested)
    await takeRequest('channel_changes').respond({ ...changes, messages, rev: 11 })
    expect(reported).toHaveBeenCalledOnce()
    await advanceTime(1_000)
    await takeRequest('channel_changes').respond({ ...changes, messages, rev: 11 })
    expect(store.get().channels.get(LOBBY)?.rev).toBe(11)
    expect(engine.pendingRequests()).toBe(0)
  })

  it('is requested again with backoff: the bootstrap', async () => {
    const tested = createTestEngine()
    const { engine, take: takeRequest, pass: advanceTime, isRequested, store } = tested
    engine.start()
    failOnce(tested)
    await takeRequest('bootstrap').respond(buildBootstrap([buildChannelEntry()]))
    expect(reported).toHaveBeenCalledOnce()
    await advanceTime(1_000)
    await takeRequest('bootstrap').respond(buildBootstrap([buildChannelEntry()]))
    expect(store.get().source).toBe('live')
    expect(isRequested('bootstrap')).toBe(false)
  })

  it('is followed by the next heartbeat', async () => {
    const tested = createTestEngine()
    const { begin, engine, take: takeRequest, pass: advanceTime } = tested
    await begin([buildChannelEntry()])
    engine.sendHeartbeat()
    failOnce(tested)
    await takeRequest('heartbeat').respond(heartbeatOf([{ id: LOBBY, rev: 12 }]))
    expect(reported).toHaveBeenCalledOnce()
    await advanceTime(60_000)
    takeRequest('heartbeat')
  })
})

describe('counts of channels without loaded messages', () => {
  it('are fetched once their topics are subscribed: earlier messages are in no event', async () => {
    const { begin, topics, pass: advanceTime, isRequested } = createTestEngine()
    await begin([buildChannelEntry()])
    topics.get(`channel:${LOBBY}:1`)?.joined()
    await advanceTime(900)
    expect(isRequested('heartbeat')).toBe(false)
    await advanceTime(100)
    expect(isRequested('heartbeat')).toBe(true)
  })

  it('are fetched after a read marker moved on another device: its counts may be older', async () => {
    const { begin, topics, pass: advanceTime, take: takeRequest, store } = createTestEngine()
    await begin([buildChannelEntry()])
    const { state } = buildChannelEntry()
    const publish = (event: string, payload: object) => topics.get(`user:${ME}`)?.received({ event, payload })
    publish('activity', { channel_id: LOBBY, seq: 11, rev: 11, mention: false })
    const moved = { ...state, read_version: 2, rev: 2 }
    publish('state', { channel_id: LOBBY, state: moved, counts: { unread: 0, mentions: 0 } })
    await advanceTime(1_000)
    const response = heartbeatOf([{ id: LOBBY, rev: 11 }])
    const [entry] = response.channels
    if (entry) response.channels = [{ ...entry, state: moved, counts: { unread: 1, mentions: 0 } }]
    await takeRequest('heartbeat').respond(response)
    expect(store.get().channels.get(LOBBY)?.entry.counts.unread).toBe(1)
  })
})

it('a page that is being closed sends no heartbeat until it is shown again', async () => {
  const { begin, topics, pass: advanceTime, isRequested, engine } = createTestEngine()
  await begin([buildChannelEntry()])
  engine.sendHeartbeatSoon()
  engine.leave()
  topics.get(`user:${ME}`)?.lost()
  await advanceTime(120_000)
  expect(isRequested('heartbeat')).toBe(false)
  engine.sendHeartbeat()
  expect(isRequested('heartbeat')).toBe(true)
})

describe('counts of a conversation without loaded messages', () => {
  it.each([
    ['message_edited', { rev: 11, notifies: false }],
    ['message_deleted', {}],
  ])('are fetched a second after %s, and not of a channel in another workspace', async (event, more) => {
    const { begin, topics, pass: advanceTime, take: takeRequest, store, isRequested } = createTestEngine()
    const counters = { last_seq: 11, rev: 11, meta_rev: 1, epoch: 1 }
    const entry = buildChannelEntry({ counters, counts: { unread: 1, mentions: 1 } })
    await begin([entry])
    const publish = (channel_id: string) =>
      topics.get(`user:${ME}`)?.received({ event, payload: { channel_id, message_id: 'm', ...more } })
    publish('elsewhere')
    await advanceTime(1_000)
    expect(isRequested('heartbeat')).toBe(false)
    publish(LOBBY)
    await advanceTime(1_000)
    const response = heartbeatOf([{ id: LOBBY, rev: 12 }])
    const [changed] = response.channels
    if (changed) response.channels = [{ ...changed, counts: { unread: 1, mentions: 0 } }]
    await takeRequest('heartbeat').respond(response)
    expect(store.get().channels.get(LOBBY)?.entry.counts).toEqual({ unread: 1, mentions: 0 })
  })
})

describe('an own row that is too large for a broadcast', () => {
  const draft = { id: LOBBY, channel_id: LOBBY, thread_root: null, body: 'long', quote: null }
  const row = { ...draft, rev: 7, change_id: 'change', changed_at: '2026-01-01T00:00:00Z' }

  it('is fetched with the differences, once for several changes', async () => {
    const { begin, topics, pass: advanceTime, take: takeRequest, isRequested, store } = createTestEngine()
    await begin([buildChannelEntry()])
    const publish = (rev: number, workspace_id = store.get().workspace!.id) =>
      topics.get(`user:${ME}`)?.received({
        event: 'own_row',
        payload: { kind: 'drafts', id: LOBBY, rev, workspace_id },
      })
    publish(9, 'another')
    await advanceTime(1_000)
    expect(isRequested('heartbeat')).toBe(false)
    for (const rev of [5, 6, 7]) publish(rev)
    await advanceTime(1_000)
    await takeRequest('heartbeat').respond({ ...heartbeatOf([]), own: { drafts: [row] } })
    expect(store.get().drafts.get(LOBBY)).toEqual(row)
    // This device has it, for example because it has saved it.
    publish(7)
    await advanceTime(1_000)
    expect(isRequested('heartbeat')).toBe(false)
    publish(8)
    await advanceTime(1_000)
    expect(isRequested('heartbeat')).toBe(true)
  })
})

describe('stale threads', () => {
  const reply = (root_id: string, thread_seq: number) => ({
    event: 'reply',
    payload: { channel_id: LOBBY, root_id, thread_seq, rev: 20, mention: false },
  })

  it('are fetched together after a delay, and again after a failure', async () => {
    const { begin, topics, take: takeRequest, pass: advanceTime, store, isRequested } = createTestEngine()
    await begin([buildChannelEntry()])
    topics.get(`user:${ME}`)?.received(reply('one', 3))
    topics.get(`user:${ME}`)?.received(reply('two', 1))
    expect(isRequested('thread_states')).toBe(false)
    await advanceTime(150)
    const requests = takeRequest('thread_states')
    expect(requests.args).toMatchObject({ roots: ['one', 'two'] })
    await requests.refuse('network', true)
    await advanceTime(1_000)
    const one = buildThread({ root_id: 'one', last_thread_seq: 3, rev: 20 })
    await takeRequest('thread_states').respond({ threads: [one] })
    await advanceTime(60_000)
    expect(isRequested('thread_states')).toBe(false)
    expect([...store.get().threads.keys()]).toEqual(['one'])
  })
})

describe('a page without a workspace', () => {
  it('finds the one that was joined in another tab', async () => {
    const { engine, take: takeRequest, pass: advanceTime, isRequested, topics, store } = createTestEngine()
    engine.start()
    await takeRequest('bootstrap').respond(buildBootstrap([], { me: null, workspace: null, workspaces: [] }))
    expect([isRequested('heartbeat'), isRequested('bootstrap')]).toEqual([false, false])
    // It is looked at.
    engine.sendHeartbeat()
    await takeRequest('bootstrap').respond(buildBootstrap([], { me: null, workspace: null, workspaces: [] }))
    // No view shows it.
    await advanceTime(60_000)
    await takeRequest('bootstrap').respond(buildBootstrap([buildChannelEntry()]))
    expect(store.get().channels.has(LOBBY)).toBe(true)
    expect(topics.has(`user:${ME}`)).toBe(true)
    await advanceTime(60_000)
    expect(isRequested('heartbeat')).toBe(true)
  })
})
