import { describe, expect, it } from 'vitest'
import {
  buildChannelEntry,
  buildHeartbeat,
  buildMessage,
  buildPage,
  LOBBY,
} from '../store/buildRows.fixture.ts'
import { createTestEngine, heartbeatOf } from './createTestEngine.fixture.ts'

describe('a server that was restored from a backup', () => {
  const counters = { last_seq: 10, rev: 10, meta_rev: 1, epoch: 1, change_id: 100 }

  it('is recognised by another change under the same number', async () => {
    const { begin, engine, take: takeRequest, pass: advanceTime, store } = createTestEngine()
    await begin([buildChannelEntry({ counters })])
    store.dispatch({ type: 'pageReceived', page: buildPage(1, 10), request: {} })
    engine.open(LOBBY)
    engine.sendHeartbeat()
    await takeRequest('heartbeat').respond(
      buildHeartbeat([buildChannelEntry({ counters: { ...counters, change_id: 200 } })]),
    )
    await advanceTime(120)
    expect(takeRequest('channel_changes').args).toEqual({ channel: LOBBY, after_rev: -1 })
  })

  it('is recognised by changes that it does not confirm, and messages that it lacks are discarded', async () => {
    const { begin, engine, take: takeRequest, pass: advanceTime, store } = createTestEngine()
    await begin([buildChannelEntry({ counters })])
    store.dispatch({ type: 'pageReceived', page: buildPage(1, 10), request: {} })
    engine.open(LOBBY)
    const publish = (rev: number, previous: number) =>
      store.dispatch({
        type: 'channelEventReceived',
        event: {
          event: 'message',
          payload: {
            channel_id: LOBBY,
            rev,
            message: buildMessage(rev),
            change_id: rev * 10,
            previous_change_id: previous,
          },
        },
      })
    publish(11, 100)
    publish(12, 110)
    expect(store.get().channels.get(LOBBY)?.entry.counters).toMatchObject({ rev: 12, change_id: 120 })
    engine.sendHeartbeat()
    await takeRequest('heartbeat').respond(
      buildHeartbeat([
        buildChannelEntry({
          counters: { ...counters, last_seq: 13, rev: 14, change_id: 999 },
          last_message_at: buildMessage(13).created_at,
        }),
      ]),
    )
    await advanceTime(120)
    const request = takeRequest('channel_changes')
    expect(request.args).toEqual({
      channel: LOBBY,
      after_rev: 12,
      known: [
        [10, 100],
        [11, 110],
        [12, 120],
      ],
    })
    // The server has the change 11, but another one under the number 12.
    const messages = [buildMessage(13, { rev: 14 })]
    const at = { channel_id: LOBBY, entry: null, epoch: 1, rev: 14, change_id: 999 }
    await request.respond({ ...at, reset: false, after: 11, messages })
    expect(takeRequest('channel_changes').args).toEqual({ channel: LOBBY, after_rev: -1 })
  })

  it('is recognised in a channel of which the user is no member when it is opened again', async () => {
    const { begin, engine, take: takeRequest, pass: advanceTime, store } = createTestEngine()
    await begin([])
    const entry = buildChannelEntry({ member: false, channel_role: null, counters })
    store.dispatch({ type: 'entryReceived', entry })
    store.dispatch({ type: 'pageReceived', page: buildPage(1, 10), request: {} })
    engine.open(LOBBY)
    const fewer = { ...counters, last_seq: 8, rev: 8, change_id: 80 }
    await takeRequest('channel_changes').respond({
      channel_id: LOBBY,
      reset: true,
      entry: { ...entry, counters: fewer },
      epoch: 1,
      rev: 8,
    })
    expect(store.get().channels.get(LOBBY)?.entry.counters).toEqual(fewer)
    await advanceTime(120)
    expect(takeRequest('channel_changes').args).toEqual({ channel: LOBBY, after_rev: -1 })
  })

  it('is recognised by an event that follows another change', async () => {
    const { begin, engine, take: takeRequest, pass: advanceTime, store } = createTestEngine()
    await begin([buildChannelEntry({ counters })])
    store.dispatch({ type: 'pageReceived', page: buildPage(1, 10), request: {} })
    engine.open(LOBBY)
    const payload = { channel_id: LOBBY, rev: 11, message: buildMessage(11) }
    store.dispatch({
      type: 'channelEventReceived',
      event: { event: 'message', payload: { ...payload, change_id: 7, previous_change_id: 6 } },
    })
    await advanceTime(120)
    expect(takeRequest('channel_changes').args).toEqual({ channel: LOBBY, after_rev: 10, known: [[10, 100]] })
  })

  it('fetches the bootstrap again, and the changes of channels with loaded messages', async () => {
    const { begin, engine, take: takeRequest, pass: advanceTime, store } = createTestEngine()
    await begin([buildChannelEntry()])
    store.dispatch({ type: 'pageReceived', page: buildPage(1, 10), request: {} })
    engine.open(LOBBY)
    engine.sendHeartbeat()
    await takeRequest('heartbeat').respond(heartbeatOf([{ id: LOBBY, rev: 6 }]))
    takeRequest('bootstrap')
    await advanceTime(120)
    expect(takeRequest('channel_changes').args).toEqual({ channel: LOBBY, after_rev: -1 })
  })
})
