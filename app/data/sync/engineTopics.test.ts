import { describe, expect, it } from 'vitest'
import type { ChannelEntry } from '../../../wire/channels.ts'
import {
  buildBootstrap,
  buildChannelEntry,
  buildHeartbeat,
  buildPage,
  buildProfile,
  LOBBY,
  ME,
  OTHER,
} from '../store/buildRows.fixture.ts'
import { createTestEngine, heartbeatOf } from './createTestEngine.fixture.ts'

const channelTopics = (topics: Map<string, unknown>) =>
  [...topics.keys()].filter((topic) => topic.startsWith('channel:'))

describe('topics', () => {
  it('are those of the open and the most recent channels, and no more than allowed', async () => {
    const entries = [1, 2, 3, 4].map((day): ChannelEntry => {
      const { channel } = buildChannelEntry()
      const named = Object.assign(channel, { id: `channel-${day}` })
      return buildChannelEntry({ channel: named, last_message_at: `2026-01-0${day}T00:00:00Z` })
    })
    const { begin, topics, engine } = createTestEngine()
    await begin(entries, 4)
    expect(channelTopics(topics)).toEqual(['channel:channel-4:1', 'channel:channel-3:1'])
    const release = engine.open('channel-1')
    expect(channelTopics(topics).sort()).toEqual(['channel:channel-1:1', 'channel:channel-4:1'])
    release()
    expect(topics.has(`user:${ME}`)).toBe(true)
    expect(topics.size).toBe(4)
  })

  it('move with the epoch: the old one is left at once, the new one joined after a while and caught up', async () => {
    const { begin, topics, pass: advanceTime, store, take: takeRequest } = createTestEngine()
    await begin([buildChannelEntry()])
    store.dispatch({ type: 'pageReceived', page: buildPage(1, 10), request: {} })
    const payload = { channel_id: LOBBY, epoch: 2, rev: 10, members: 100 }
    topics.get(`channel:${LOBBY}:1`)?.received({ event: 'epoch', payload })
    expect(channelTopics(topics)).toEqual([])
    await advanceTime(500)
    expect(channelTopics(topics)).toEqual([`channel:${LOBBY}:2`])
    topics.get(`channel:${LOBBY}:2`)?.joined()
    await advanceTime(1_000)
    // The events in between may be lost. Only a channel that is behind is fetched.
    const counters = { last_seq: 10, rev: 11, meta_rev: 1, epoch: 2 }
    await takeRequest('heartbeat').respond(buildHeartbeat([buildChannelEntry({ counters })]))
    await advanceTime(120)
    expect(takeRequest('channel_changes').args).toMatchObject({ channel: LOBBY, after_rev: 10 })
  })

  it('that were closed are joined again with backoff; the response may remove the channel', async () => {
    const { begin, topics, pass: advanceTime, store, take: takeRequest } = createTestEngine()
    await begin([buildChannelEntry()])
    topics.get(`channel:${LOBBY}:1`)?.lost()
    expect(channelTopics(topics)).toEqual([])
    await advanceTime(750)
    expect(channelTopics(topics)).toEqual([`channel:${LOBBY}:1`])
    await takeRequest('channel_changes').refuse('not_found', false)
    expect(store.get().channels.has(LOBBY)).toBe(false)
    expect(channelTopics(topics)).toEqual([])
  })
})

describe('the workspace’s topic', () => {
  const workspace = buildBootstrap([]).workspace!
  const bea = { profile: buildProfile(OTHER, 'Bea Example'), role: 'member', state: 'active' } as const
  const changed = (rev: number) => ({
    event: 'member',
    payload: { workspace_id: workspace.id, rev, member: bea },
  })

  it('brings a changed person, once and in order', async () => {
    const { begin, topics, store } = createTestEngine()
    await begin([])
    topics.get(`workspace:${workspace.id}:1`)?.received(changed(5))
    expect(store.get().members.get(OTHER)).toEqual(bea)
    expect(store.get().workspaceCounters).toEqual({ rev: 5, epoch: 1 })
    const before = store.get()
    topics.get(`workspace:${workspace.id}:1`)?.received(changed(5))
    expect(store.get()).toBe(before)
  })

  it('has a lost change fetched: the next one, or the next beat, shows that it is missing', async () => {
    const { begin, topics, take: takeRequest, pass: advanceTime, isRequested, engine } = createTestEngine()
    await begin([])
    topics.get(`workspace:${workspace.id}:1`)?.received(changed(6))
    await advanceTime(1_000)
    await takeRequest('heartbeat').respond({ ...heartbeatOf([]), workspace_counters: { rev: 6, epoch: 1 } })
    const now = { workspace_counters: { rev: 6, epoch: 1 }, members: [bea] }
    await takeRequest('bootstrap').respond(buildBootstrap([], now))
    engine.sendHeartbeat()
    await takeRequest('heartbeat').respond({ ...heartbeatOf([]), workspace_counters: { rev: 6, epoch: 1 } })
    expect(isRequested('bootstrap')).toBe(false)
  })

  it('is fetched again by a bootstrap that changed while it was under way', async () => {
    const { begin, engine, store, take: takeRequest, isRequested } = createTestEngine()
    await begin([])
    const renamed = { ...workspace, name: 'Harbour Street 7' }
    engine.refresh()
    const overtaken = takeRequest('bootstrap')
    store.dispatch({
      type: 'userEventReceived',
      event: { event: 'workspace_changed', payload: { workspace: renamed } },
    })
    await overtaken.respond(buildBootstrap([]))
    await takeRequest('bootstrap').respond(buildBootstrap([], { workspace: renamed }))
    expect(store.get().workspace).toEqual(renamed)
    expect(isRequested('bootstrap')).toBe(false)
  })

  it('joins the topic of the new epoch, and a heartbeat shows what was sent meanwhile', async () => {
    const { begin, topics, pass: advanceTime, isRequested } = createTestEngine()
    await begin([])
    const payload = { workspace_id: workspace.id, rev: 4, epoch: 2, members: 100 }
    topics.get(`workspace:${workspace.id}:1`)?.received({ event: 'epoch', payload })
    expect([...topics.keys()]).toEqual([`user:${ME}`])
    await advanceTime(500)
    expect(topics.has(`workspace:${workspace.id}:2`)).toBe(true)
    topics.get(`workspace:${workspace.id}:2`)?.joined()
    await advanceTime(1_000)
    expect(isRequested('heartbeat')).toBe(true)
  })

  it('is not joined by guests, who receive changes of visible members on their own topic', async () => {
    const { topics, store, engine, take: takeRequest } = createTestEngine()
    engine.start()
    await takeRequest('bootstrap').respond(buildBootstrap([], { workspace_counters: null }))
    expect([...topics.keys()]).toEqual([`user:${ME}`])
    topics
      .get(`user:${ME}`)
      ?.received({ event: 'member', payload: { workspace_id: workspace.id, member: bea } })
    expect(store.get().members.get(OTHER)).toEqual(bea)
  })
})
