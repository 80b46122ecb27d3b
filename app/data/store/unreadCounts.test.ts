import { describe, expect, it } from 'vitest'
import { applyEvent } from './applyEvent.ts'
import { buildBootstrap, buildChannelEntry, buildMessage, buildPage, LOBBY, ME } from './buildRows.fixture.ts'
import { readerOf } from './reader.ts'
import { unreadOf } from './unreadCounts.ts'
import { emptyState } from './state.ts'
import type { State } from './state.ts'
import { EMPTY_SNAPSHOT } from './requestSnapshot.ts'

const entry = buildChannelEntry({
  state: { ...buildChannelEntry().state, last_read_seq: 6 },
  counts: { unread: 4, mentions: 0 },
})
const listed = applyEvent(emptyState, {
  type: 'bootstrapReceived',
  response: buildBootstrap([entry]),
  snapshot: EMPTY_SNAPSHOT,
})
const opened = applyEvent(listed, { type: 'pageReceived', page: buildPage(1, 10), request: {} })
const unread = (state: State, seen = 0) => {
  const rows = state.channels.get(LOBBY)
  return rows ? unreadOf(rows, readerOf(state), seen) : null
}
const receive = (state: State, message: ReturnType<typeof buildMessage>) =>
  applyEvent(state, {
    type: 'channelEventReceived',
    event: { event: 'message', payload: { channel_id: LOBBY, rev: message.rev, message } },
  })

describe('what is unread', () => {
  it('shows the counts of the server where no messages are loaded, and counts what is new', () => {
    expect(unread(listed)).toEqual({ unread: 4, mentions: 0 })
    expect(unread(receive(listed, buildMessage(11, { body: `<@${ME}> come` })))).toEqual({
      unread: 5,
      mentions: 1,
    })
    expect(unread(receive(listed, buildMessage(11, { author_id: ME })))).toEqual({ unread: 4, mentions: 0 })
  })

  it('counts mentions of the groups of the reader, and those of the server until the groups are loaded', () => {
    const group = (id: string, hasReader: boolean) => ({
      id,
      name: id,
      description: '',
      isArchived: false,
      hasReader,
    })
    const nurses = `&${crypto.randomUUID()}`
    const cooks = `&${crypto.randomUUID()}`
    const groups = [group(nurses, true), group(cooks, false)]
    const receiveGroups = (state: State, workspace: string) =>
      applyEvent(state, {
        type: 'versionedListReceived',
        workspace,
        list: { name: 'userGroups', rows: groups },
        version: '1',
      })
    const known = (state: State) => receiveGroups(state, state.workspace!.id)
    const body = `<@${nurses}> <@${cooks}>`
    expect(unread(receive(known(listed), buildMessage(11, { body })))).toEqual({ unread: 5, mentions: 1 })
    expect(unread(receive(known(listed), buildMessage(11, { body: `<@${cooks}>` })))).toEqual({
      unread: 5,
      mentions: 0,
    })
    // The server has counted the mention of a message that is loaded before the groups.
    const counted = { ...entry, counts: { unread: 4, mentions: 1 } }
    const response = buildBootstrap([counted])
    const first = applyEvent(emptyState, { type: 'bootstrapReceived', response, snapshot: EMPTY_SNAPSHOT })
    const page = buildPage(1, 10)
    const messages = page.messages.map((one) => (one.seq === 9 ? { ...one, body } : one))
    const loaded = applyEvent(first, { type: 'pageReceived', page: { ...page, messages }, request: {} })
    expect(unread(loaded)).toEqual({ unread: 4, mentions: 1 })
    expect(unread(known(loaded))).toEqual({ unread: 4, mentions: 1 })
    // Groups of another workspace change nothing.
    expect(receiveGroups(loaded, 'another')).toBe(loaded)
  })

  it('counts a moved message without its mentions, as the server does', () => {
    const moved = { moved: { written_at: '2025-01-01T00:00:00Z' } }
    for (const state of [listed, opened]) {
      const received = receive(state, buildMessage(11, { body: `<@${ME}> <!channel>`, extras: moved }))
      expect(unread(received)).toEqual({ unread: 5, mentions: 0 })
    }
  })

  it('counts rows where they are loaded', () => {
    expect(unread(opened)).toEqual({ unread: 4, mentions: 0 })
    const deleted = receive(
      opened,
      buildMessage(8, { rev: 11, body: '', deleted_at: '2026-01-01T00:00:00Z' }),
    )
    expect(unread(deleted)).toEqual({ unread: 3, mentions: 0 })
    const edited = receive(deleted, buildMessage(9, { rev: 12, body: `<@${ME}> come` }))
    expect(unread(edited)).toEqual({ unread: 3, mentions: 1 })
    expect(unread(receive(edited, buildMessage(9, { rev: 13, body: 'Come' })))).toEqual({
      unread: 3,
      mentions: 0,
    })
    const noted = receive(deleted, buildMessage(11, { rev: 12, kind: 'system', system: { event: 'joined' } }))
    expect(unread(noted)).toEqual({ unread: 3, mentions: 0 })
  })

  it('excludes messages that were read here and are not acknowledged', () => {
    expect(unread(opened, 9)).toEqual({ unread: 1, mentions: 0 })
    expect(unread(opened, 10)).toEqual({ unread: 0, mentions: 0 })
  })

  it('includes messages that were marked unread here and are not acknowledged', () => {
    const state = opened.channels.get(LOBBY)
    expect(state && unreadOf(state, { id: ME, groups: [] }, 0, 4)).toEqual({ unread: 6, mentions: 0 })
    const unheld = listed.channels.get(LOBBY)
    expect(unheld && unreadOf(unheld, { id: ME, groups: [] }, 0, 4)).toEqual({ unread: 6, mentions: 0 })
    expect(unheld && unreadOf(unheld, { id: ME, groups: [] }, 0, 0)).toEqual({ unread: 10, mentions: 0 })
  })

  it('stops at a hundred', () => {
    const far = buildChannelEntry({ ...entry, counters: { last_seq: 300, rev: 300, meta_rev: 1, epoch: 1 } })
    const state = [
      { type: 'bootstrapReceived' as const, response: buildBootstrap([far]), snapshot: EMPTY_SNAPSHOT },
      { type: 'pageReceived' as const, page: buildPage(1, 300), request: {} },
    ].reduce(applyEvent, emptyState)
    expect(unread(state)?.unread).toBe(100)
  })
})
