import { describe, expect, it } from 'vitest'
import type { ChannelEvent } from '../../../wire/events.ts'
import type { Message, ChangedReaction } from '../../../wire/messages.ts'
import { applyEvent } from './applyEvent.ts'
import {
  buildBootstrap,
  buildChannelEntry,
  buildHeartbeat,
  buildMessage,
  buildPage,
  LOBBY,
  ME,
  OTHER,
} from './buildRows.fixture.ts'
import type { SyncEvent } from './syncEvents.ts'
import { emptyState, isBehind } from './state.ts'
import type { ChannelRows, State } from './state.ts'
import { takeSnapshot, EMPTY_SNAPSHOT } from './requestSnapshot.ts'
import type { RequestSnapshot } from './requestSnapshot.ts'

const after = (...events: SyncEvent[]): State => events.reduce(applyEvent, emptyState)
const lobby = (state: State): ChannelRows => {
  const rows = state.channels.get(LOBBY)
  if (!rows) throw new Error('the lobby is not held')
  return rows
}
const start: SyncEvent[] = [
  { type: 'bootstrapReceived', response: buildBootstrap([buildChannelEntry()]), snapshot: EMPTY_SNAPSHOT },
  { type: 'pageReceived', page: buildPage(1, 10), request: {} },
]
const received = (message: Message): SyncEvent => {
  const event: ChannelEvent = { event: 'message', payload: { channel_id: LOBBY, rev: message.rev, message } }
  return { type: 'channelEventReceived', event }
}
const bodies = (state: State) => {
  const rows = lobby(state)
  return [...rows.byNumber.keys()]
    .sort((a, b) => a - b)
    .map((seq) => rows.messages.get(rows.byNumber.get(seq) ?? '')?.body)
}

const COUNTERS = { last_seq: 10, rev: 11, meta_rev: 1, epoch: 3 }
const knownLobby = (rev: number, stateRev = 1): RequestSnapshot => ({
  channels: new Map([[LOBBY, { rev, metaRev: 1, epoch: 1, stateRev }]]),
  threads: new Map(),
  own: {
    drafts: new Map(),
    saved: new Map(),
    responses: new Map(),
    searches: new Map(),
    scheduled: new Map(),
    reminders: new Map(),
  },
  sections: [],
  digests: {},
})

describe('the numbers of changes', () => {
  it('applies the next rev, ignores known ones, and reports a gap', () => {
    const next = after(...start, received(buildMessage(11)))
    expect(lobby(next).rev).toBe(11)
    expect(isBehind(lobby(next))).toBe(false)
    expect(applyEvent(next, received(buildMessage(11, { body: 'forged' })))).toBe(next)

    const gap = after(...start, received(buildMessage(12)))
    expect(isBehind(lobby(gap))).toBe(true)
    expect(lobby(gap).byNumber.has(12)).toBe(false)
  })

  it('has the same result whichever of response and broadcast comes first', () => {
    const message = buildMessage(11, { author_id: ME })
    const response: SyncEvent = { type: 'messageReceived', message }
    const one = after(...start, response, received(message))
    const other = after(...start, received(message), response)
    expect(bodies(one)).toEqual(bodies(other))
    expect(bodies(one)).toHaveLength(11)
    expect(lobby(one).rev).toBe(lobby(other).rev)
  })

  it('adds nothing below the start that retention has raised', () => {
    const { channel } = buildChannelEntry()
    const raised: ChannelEvent = {
      event: 'meta',
      payload: { channel_id: LOBBY, rev: 12, channel: { ...channel, first_seq: 4 } },
    }
    const tombstone = buildMessage(3, { rev: 11, body: '', deleted_at: '2026-01-02T00:00:00Z' })
    const state = after(...start, { type: 'channelEventReceived', event: raised }, received(tombstone))
    expect([...lobby(state).byNumber.keys()]).toEqual([4, 5, 6, 7, 8, 9, 10])
    const paged = applyEvent(state, { type: 'pageReceived', page: buildPage(1, 10), request: {} })
    expect(lobby(paged).windows).toEqual([{ from: 4, to: 10 }])
  })

  it('closes a gap when the overtaken one arrives', () => {
    const edit = buildMessage(3, { rev: 12, body: 'corrected' })
    const state = after(...start, received(edit), received(buildMessage(11)))
    expect(lobby(state).rev).toBe(12)
    expect(bodies(state)[2]).toBe('corrected')
    expect(isBehind(lobby(state))).toBe(false)
  })

  it('removes the revs that arrived early once the changes before them are loaded', () => {
    const state = after(...start, received(buildMessage(3, { rev: 12 })), {
      type: 'changesReceived',
      after: 10,
      changes: {
        channel_id: LOBBY,
        reset: false,
        after: 10,
        messages: [buildMessage(11), buildMessage(3, { rev: 12 })],
        entry: null,
        epoch: 1,
        rev: 12,
      },
    })
    expect(lobby(state).rev).toBe(12)
    expect(lobby(state).aheadRevs).toEqual([])
  })

  it('has the rev of the oldest loaded page, until changes are fetched', () => {
    const newer = after(...start, received(buildMessage(2, { rev: 11, body: 'corrected' })))
    const old = applyEvent(newer, {
      type: 'pageReceived',
      page: buildPage(1, 5, { rev: 9, has_after: true }),
      request: { around: 3 },
    })
    expect(lobby(old).rev).toBe(9)
    expect(isBehind(lobby(old))).toBe(true)
    expect(bodies(old)[1]).toBe('corrected')
  })

  it('does not raise the rev by changes that begin after the loaded rev', () => {
    const stale = after(...start, {
      type: 'channelEventReceived',
      event: { event: 'rev', payload: { channel_id: LOBBY, rev: 20 } },
    })
    const state = applyEvent(stale, {
      type: 'changesReceived',
      after: 15,
      changes: { channel_id: LOBBY, reset: false, after: 10, messages: [], entry: null, epoch: 1, rev: 20 },
    })
    expect(lobby(state).rev).toBe(10)
  })
})

describe('windows', () => {
  it('contain no gaps: a message beyond the loaded range is added once the range reaches it', () => {
    const state = after(...start, received(buildMessage(13, { rev: 13 })))
    expect(lobby(state).windows).toEqual([{ from: 1, to: 10 }])
    expect(lobby(state).entry.counters.last_seq).toBe(13)
    const filled = applyEvent(state, {
      type: 'changesReceived',
      after: 10,
      changes: {
        channel_id: LOBBY,
        reset: false,
        after: 10,
        // Ordered by rev: 11 was edited after 12 and 13 came.
        messages: [buildMessage(12), buildMessage(13), buildMessage(11, { rev: 14 })],
        entry: null,
        epoch: 1,
        rev: 14,
      },
    })
    expect(lobby(filled).windows).toEqual([{ from: 1, to: 13 }])
    expect(lobby(filled).rev).toBe(14)
  })

  it('joins pages that meet', () => {
    const state = after(
      {
        type: 'bootstrapReceived',
        response: buildBootstrap([buildChannelEntry()]),
        snapshot: EMPTY_SNAPSHOT,
      },
      { type: 'pageReceived', page: buildPage(8, 10), request: {} },
      { type: 'pageReceived', page: buildPage(4, 7, { has_after: true, rev: 10 }), request: { before: 8 } },
    )
    expect(lobby(state).windows).toEqual([{ from: 4, to: 10 }])
  })

  it('does not add a message from before a change that was received', () => {
    // 12 is deleted by rev 13 before 11 has come: nobody would ask for rev 13 again.
    const gone = buildMessage(12, { rev: 13, body: '', deleted_at: '2026-01-01T00:00:00Z' })
    const [eleventh, twelfth] = [buildMessage(11, { rev: 11 }), buildMessage(12, { rev: 12 })]
    const state = after(...start, received(gone), received(eleventh), received(twelfth))
    expect([bodies(state).includes(twelfth.body), isBehind(lobby(state))]).toEqual([false, true])
    const changes = { channel_id: LOBBY, reset: false as const, after: 10, entry: null, epoch: 1 }
    const overtaken = applyEvent(state, {
      type: 'changesReceived',
      changes: { ...changes, messages: [eleventh, twelfth], rev: 12 },
      after: 10,
    })
    expect([bodies(overtaken).includes(twelfth.body), isBehind(lobby(overtaken))]).toEqual([false, true])
    const whole = applyEvent(overtaken, {
      type: 'changesReceived',
      changes: { ...changes, messages: [eleventh, gone], rev: 13 },
      after: 10,
    })
    expect([bodies(whole).at(-1), isBehind(lobby(whole))]).toEqual(['', false])
  })

  it('loads an empty channel, and adds its first message', () => {
    const entry = buildChannelEntry({ counters: { last_seq: 0, rev: 1, meta_rev: 1, epoch: 1 } })
    const state = after(
      { type: 'bootstrapReceived', response: buildBootstrap([entry]), snapshot: EMPTY_SNAPSHOT },
      { type: 'pageReceived', page: buildPage(1, 0, { rev: 1 }), request: {} },
      received(buildMessage(1, { rev: 2 })),
    )
    expect(bodies(state)).toEqual(['message 1'])
  })

  it('removes messages below a history start that rose', () => {
    const entry = buildChannelEntry({
      history_from_seq: 6,
      counters: { last_seq: 10, rev: 11, meta_rev: 11, epoch: 2 },
    })
    const state = after(...start, { type: 'entryReceived', entry })
    expect(bodies(state)).toHaveLength(5)
  })

  it('gives way to one page after a reset, even to lower numbers', () => {
    const entry = buildChannelEntry({ counters: { last_seq: 4, rev: 4, meta_rev: 1, epoch: 1 } })
    const state = after(...start, {
      type: 'channelReset',
      entry,
      page: buildPage(1, 4, { rev: 4 }),
      request: {},
      revBefore: 10,
    })
    expect(bodies(state)).toHaveLength(4)
    expect(isBehind(lobby(state))).toBe(false)
  })

  it('still waits after a reset for changes that were published during the request', () => {
    const moved = { ...buildChannelEntry().state, last_read_seq: 8, read_version: 2, rev: 2 }
    const entry = buildChannelEntry({
      state: moved,
      counters: { last_seq: 10, rev: 10, meta_rev: 1, epoch: 1 },
    })
    const reset: SyncEvent = {
      type: 'channelReset',
      entry,
      page: buildPage(4, 10),
      request: {},
      revBefore: 10,
    }
    const state = after(...start, received(buildMessage(11)), reset)
    expect([lobby(state).entry.counters.last_seq, isBehind(lobby(state))]).toEqual([11, true])
    expect(lobby(state).entry.state).toEqual(moved)
  })
})

describe('reactions', () => {
  const many = Array.from(
    { length: 20 },
    (_, index) => `90000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  )

  const changed = (
    rev: number,
    before: number,
    change: Omit<Partial<ChangedReaction>, 'emoji'> & {
      emoji?: string
      count: number
      by: string
      on: boolean
    },
  ): SyncEvent => {
    const reaction = { emoji: '👍', people: many, at: 0, ...change }
    const payload = { channel_id: LOBBY, rev, message_id: buildMessage(5).id, before, reaction }
    return { type: 'channelEventReceived', event: { event: 'changed', payload } }
  }
  const fifth = (state: State) => lobby(state).messages.get(buildMessage(5).id)

  it('follows its own through broadcasts that are the same for everyone and carry no message', () => {
    const state = after(
      ...start,
      changed(11, 5, { count: 21, by: ME, on: true }),
      changed(12, 11, { count: 22, by: OTHER, on: true }),
    )
    expect(fifth(state)).toMatchObject({ rev: 12, body: 'message 5' })
    expect(fifth(state)?.reactions).toEqual([{ emoji: '👍', count: 22, people: many, mine: true }])
    expect(isBehind(lobby(state))).toBe(false)
    const off = applyEvent(state, changed(13, 12, { count: 21, by: ME, on: false }))
    expect(fifth(off)?.reactions[0]?.mine).toBe(false)
  })

  it('inserts a reaction at its index, and removes one with count 0', () => {
    const state = after(
      ...start,
      changed(11, 5, { count: 1, people: [OTHER], by: OTHER, on: true }),
      changed(12, 11, { emoji: '🌱', count: 1, people: [ME], at: 1, by: ME, on: true }),
      changed(13, 12, { count: 1, people: [ME], at: 1, by: OTHER, on: false }),
    )
    expect(fifth(state)?.reactions.map((one) => one.emoji)).toEqual(['🌱', '👍'])
    const without = applyEvent(
      state,
      changed(14, 13, { emoji: '🌱', count: 0, people: [], by: ME, on: false }),
    )
    expect(fifth(without)?.reactions.map((one) => one.emoji)).toEqual(['👍'])
  })

  it('reports a gap where the change follows one that is not loaded', () => {
    const state = after(...start, changed(12, 11, { count: 1, by: OTHER, on: true }))
    expect(fifth(state)).toEqual(buildMessage(5))
    expect(isBehind(lobby(state))).toBe(true)
    // The change that it follows, which was only late.
    const late = applyEvent(state, changed(11, 5, { emoji: '🌱', count: 1, by: OTHER, on: true }))
    expect(isBehind(lobby(late))).toBe(true)
    // Of a message that isn't loaded nothing can be stale.
    const payload = { channel_id: LOBBY, rev: 11, message_id: buildMessage(40).id, before: 9 }
    const elsewhere = after(...start, { type: 'channelEventReceived', event: { event: 'changed', payload } })
    expect(isBehind(lobby(elsewhere))).toBe(false)
  })

  it('sets `mine` from the first twenty people of a reaction', () => {
    const message = buildMessage(5, { rev: 11, reactions: [{ emoji: '👍', count: 1, people: [ME] }] })
    expect(lobby(after(...start, received(message))).messages.get(message.id)?.reactions[0]?.mine).toBe(true)
  })
})

describe('belonging', () => {
  it('drops a channel that one lost, and later news of it', () => {
    const gone = after(...start, {
      type: 'userEventReceived',
      event: { event: 'membership', payload: { channel_id: LOBBY, entry: null } },
    })
    expect(gone.channels.has(LOBBY)).toBe(false)
    expect(applyEvent(gone, received(buildMessage(11)))).toBe(gone)
  })

  it('keeps channels received during the request: a heartbeat removes only those known when it was sent', () => {
    const state = after(...start)
    const beat = buildHeartbeat([])
    expect(
      applyEvent(state, {
        type: 'heartbeatReceived',
        heartbeat: beat,
        snapshot: EMPTY_SNAPSHOT,
      }).channels.has(LOBBY),
    ).toBe(true)
    expect(
      applyEvent(state, { type: 'heartbeatReceived', heartbeat: beat, snapshot: knownLobby(1) }).channels.has(
        LOBBY,
      ),
    ).toBe(false)
  })

  it('keeps a channel to which the user was added again during the request', () => {
    const counters = { last_seq: 11, rev: 12, meta_rev: 12, epoch: 2 }
    const back = after(
      ...start,
      { type: 'channelRemoved', channelId: LOBBY },
      { type: 'entryReceived', entry: buildChannelEntry({ counters }) },
    )
    const beat = buildHeartbeat([])
    const known = knownLobby(10)
    expect(
      applyEvent(back, { type: 'heartbeatReceived', heartbeat: beat, snapshot: known }).channels.has(LOBBY),
    ).toBe(true)
    const response = buildBootstrap([])
    expect(
      applyEvent(back, { type: 'bootstrapReceived', response, snapshot: known }).channels.has(LOBBY),
    ).toBe(true)
  })

  it('accepts a server restored from a backup, and keeps messages until others are fetched', () => {
    const fewer = buildChannelEntry({
      state: { ...buildChannelEntry().state, last_read_seq: 3, read_version: 0, rev: 0 },
      counters: { last_seq: 6, rev: 6, meta_rev: 1, epoch: 1 },
      counts: { unread: 3, mentions: 0 },
    })
    const state = after(...start)
    const response = buildBootstrap([fewer])
    const overtaken = applyEvent(state, {
      type: 'bootstrapReceived',
      response,
      snapshot: knownLobby(6, 0),
    })
    expect(lobby(overtaken).entry.counters.rev).toBe(10)
    expect(lobby(overtaken).entry.state.read_version).toBe(1)
    const restored = applyEvent(state, {
      type: 'bootstrapReceived',
      response,
      snapshot: knownLobby(10),
    })
    expect(lobby(restored).entry).toEqual(fewer)
    expect(bodies(restored)).toHaveLength(10)
    expect(isBehind(lobby(restored))).toBe(true)
    const reset: SyncEvent = {
      type: 'channelReset',
      entry: fewer,
      page: buildPage(1, 6),
      request: {},
      revBefore: 6,
    }
    expect(bodies(applyEvent(restored, reset))).toHaveLength(6)
    const beat = buildHeartbeat([fewer])
    const received = applyEvent(state, {
      type: 'heartbeatReceived',
      heartbeat: beat,
      snapshot: knownLobby(10),
    })
    expect([isBehind(lobby(received)), lobby(received).entry.state]).toEqual([true, fewer.state])
  })

  it('believes it also where nothing but the pointer had moved since the copy', () => {
    const read = buildChannelEntry({
      state: { ...buildChannelEntry().state, last_read_seq: 9, read_version: 5, rev: 5 },
    })
    const state = after({
      type: 'bootstrapReceived',
      response: buildBootstrap([read]),
      snapshot: EMPTY_SNAPSHOT,
    })
    const copy = buildChannelEntry({ counts: { unread: 3, mentions: 0 } })
    const response = buildBootstrap([copy])
    const anew = applyEvent(state, {
      type: 'bootstrapReceived',
      response,
      snapshot: takeSnapshot(state),
    })
    expect([lobby(anew).entry.state, lobby(anew).entry.counts]).toEqual([copy.state, copy.counts])
    const beat = buildHeartbeat([copy])
    const received = applyEvent(state, {
      type: 'heartbeatReceived',
      heartbeat: beat,
      snapshot: takeSnapshot(state),
    })
    expect(lobby(received).entry.state).toEqual(copy.state)
    // Overtaken by a read marker that moved while it was asked.
    expect(
      lobby(applyEvent(state, { type: 'bootstrapReceived', response, snapshot: knownLobby(10) })).entry,
    ).toEqual(read)
  })

  it('accepts the restored state also if as many messages were sent again as were lost', () => {
    const state = after(...start, { type: 'entryReceived', entry: buildChannelEntry({ counters: COUNTERS }) })
    const same = buildChannelEntry({ counters: { ...COUNTERS, epoch: 2 } })
    const anew = applyEvent(state, {
      type: 'bootstrapReceived',
      response: buildBootstrap([same]),
      snapshot: takeSnapshot(state),
    })
    expect([lobby(anew).entry.counters.epoch, isBehind(lobby(anew))]).toEqual([2, true])
  })

  it('ignores an entry that is older than the loaded one', () => {
    const renamed = buildChannelEntry({ counters: { last_seq: 10, rev: 12, meta_rev: 12, epoch: 1 } })
    renamed.channel = { ...renamed.channel, name: 'reception' }
    const state = after(
      ...start,
      { type: 'entryReceived', entry: renamed },
      { type: 'entryReceived', entry: buildChannelEntry() },
    )
    expect(lobby(state).entry.channel.name).toBe('reception')
    expect(lobby(state).entry.counters.rev).toBe(12)
  })

  it('is a newcomer to a public channel that one left and still reads', () => {
    const own = { ...buildChannelEntry().state, last_read_seq: 5, read_version: 4, position: 28, rev: 4 }
    const within = buildChannelEntry({ state: own, counts: { unread: 5, mentions: 1 } })
    const counters = { last_seq: 10, rev: 12, meta_rev: 12, epoch: 1 }
    const none = { ...own, last_read_seq: 0, read_version: 0, position: null, rev: 0 }
    const counts = { unread: 0, mentions: 0 }
    const outside = buildChannelEntry({
      member: false,
      channel_role: null,
      counters,
      state: none,
      counts,
    })
    const left = after({ type: 'entryReceived', entry: within }, { type: 'entryReceived', entry: outside })
    expect([lobby(left).entry.state, lobby(left).entry.counts]).toEqual([none, counts])
    // News of the time before, overtaken by leaving.
    const payload = { channel_id: LOBBY, state: own, counts: within.counts }
    const late = [
      { type: 'entryReceived', entry: within },
      { type: 'userEventReceived', event: { event: 'state', payload } },
    ] satisfies SyncEvent[]
    expect(lobby(late.reduce(applyEvent, left)).entry).toEqual(lobby(left).entry)
    const again = { ...within, counters: { ...counters, rev: 13, meta_rev: 13 } }
    expect(lobby(applyEvent(left, { type: 'entryReceived', entry: again })).entry.state).toEqual(own)
  })

  it('removes all rows when the membership of the workspace ended', () => {
    const response = buildBootstrap([], { me: null, workspace: null, workspaces: [], members: [] })
    const state = after(...start, { type: 'bootstrapReceived', response, snapshot: EMPTY_SNAPSHOT })
    expect(state.channels.size).toBe(0)
    expect(state.me).toBeNull()
  })

  it('renames the workspace that it shows, and no other', () => {
    const renamed = (id: string): SyncEvent => ({
      type: 'userEventReceived',
      event: { event: 'workspace_changed', payload: { workspace: { id, name: 'Harbour Street 7' } } },
    })
    const { workspace } = after(...start)
    const own = after(...start, renamed(workspace!.id))
    expect(own.workspace?.name).toBe('Harbour Street 7')
    expect(own.workspaces.map(({ name }) => name)).toEqual(['Harbour Street 7'])
    expect(after(...start, renamed(OTHER)).workspace).toEqual(workspace)
  })

  it('keeps the later of two states of the workspace, whichever arrives first', () => {
    const { id } = after(...start).workspace!
    const changed = (rev: number, name: string): SyncEvent => ({
      type: 'userEventReceived',
      event: { event: 'workspace_changed', payload: { workspace: { id, name, rev } } },
    })
    const state = after(...start, changed(2, 'Harbour Street 8'), changed(1, 'Harbour Street 7'))
    expect(state.workspace?.name).toBe('Harbour Street 8')
    expect(state.workspaces.map(({ name }) => name)).toEqual(['Harbour Street 8'])
  })
})
