import { describe, expect, it } from 'vitest'
import type { ChannelMemberState, Section } from '../../../wire/channels.ts'
import { applyEvent } from './applyEvent.ts'
import { buildBootstrap, buildChannelEntry, buildHeartbeat, LOBBY } from './buildRows.fixture.ts'
import { EMPTY_SNAPSHOT, takeSnapshot } from './requestSnapshot.ts'
import { emptyState } from './state.ts'
import type { State } from './state.ts'
import type { SyncEvent } from './syncEvents.ts'

const counts = { unread: 0, mentions: 0 }
const digests = { channels: 'aaaaaa'.repeat(64), sections: 'aaaaaa' }
const care = (position: number, rev: number): Section => ({
  id: 'care',
  name: 'Care',
  position,
  collapsed: false,
  rev,
})
const stateOf = (position: number, rev: number): ChannelMemberState => ({
  ...buildChannelEntry().state,
  position,
  rev,
})

/** One kind of own row whose position changes: as an event, as the response to the page's own change, and in a heartbeat. */
interface Kind {
  name: string
  start: Parameters<typeof buildBootstrap>
  event: (position: number, rev: number) => SyncEvent
  response: (position: number, rev: number) => SyncEvent
  heartbeat: (position: number, rev: number, digest: string) => Parameters<typeof buildHeartbeat>
  shown: (state: State) => number | null | undefined
}

const kinds: Kind[] = [
  {
    name: 'preferences of a channel',
    start: [[buildChannelEntry({ state: stateOf(1, 1) })], { digests }],
    event: (position, rev) => ({
      type: 'userEventReceived',
      event: { event: 'state', payload: { channel_id: LOBBY, state: stateOf(position, rev), counts } },
    }),
    response: (position, rev) => ({ type: 'preferencesSaved', channelId: LOBBY, change: { position }, rev }),
    heartbeat: (position, rev, digest) => [
      [buildChannelEntry({ state: stateOf(position, rev) })],
      { digests: { channels: digest.repeat(64) } },
    ],
    shown: (state) => state.channels.get(LOBBY)?.entry.state.position,
  },
  {
    name: 'a section',
    start: [[], { digests, sections: [care(1, 1)] }],
    event: (position, rev) => ({
      type: 'userEventReceived',
      event: {
        event: 'sections',
        payload: { workspace_id: buildBootstrap([]).workspace!.id, sections: [care(position, rev)] },
      },
    }),
    response: (position, rev) => ({ type: 'sectionSaved', section: 'care', change: { position }, rev }),
    heartbeat: (position, rev, digest) => [
      [],
      { sections: [care(position, rev)], digests: { sections: digest } },
    ],
    shown: (state) => state.sections[0]?.position,
  },
]

describe.each(kinds)('two quick changes of $name', ({ start, event, response, heartbeat, shown }) => {
  const first = applyEvent(emptyState, {
    type: 'bootstrapReceived',
    response: buildBootstrap(...start),
    snapshot: EMPTY_SNAPSHOT,
  })
  const after = (...events: SyncEvent[]) => events.reduce(applyEvent, first)
  const received = (sent: State, ...given: Parameters<typeof heartbeat>): SyncEvent => ({
    type: 'heartbeatReceived',
    heartbeat: buildHeartbeat(...heartbeat(...given)),
    snapshot: takeSnapshot(sent),
  })

  it.each(['event', 'response'] as const)(
    'are not undone by a heartbeat that was computed before the second one, which came by %s',
    (way) => {
      const second = way === 'event' ? event(3, 3) : response(3, 3)
      const state = after(event(2, 2), second, received(after(event(2, 2)), 2, 2, 'bbbbbb'))
      expect(shown(state)).toBe(3)
      // The digest describes other rows: the next heartbeat must send the row again.
      const requested = takeSnapshot(state).digests
      expect([requested.channels?.slice(0, 6), requested.sections]).not.toContain('bbbbbb')
      expect(shown(applyEvent(state, received(state, 4, 4, 'cccccc')))).toBe(4)
    },
  )

  it('are not undone by the event of the first one, which arrives after the response to the second one', () => {
    const state = after(response(2, 2), response(3, 3), event(2, 2))
    expect(shown(state)).toBe(3)
    expect(shown([event(3, 3), event(4, 4)].reduce(applyEvent, state))).toBe(4)
  })

  it('are not undone by the response to the first one, which arrives after the event of the second one', () => {
    expect(shown(after(event(2, 2), event(3, 3), response(2, 2)))).toBe(3)
  })

  it('are replaced by those of a server that was restored from a backup', () => {
    const state = after(event(2, 2), event(3, 3))
    expect(shown(applyEvent(state, received(state, 1, 1, 'bbbbbb')))).toBe(1)
  })
})

it('a section that was deleted during a heartbeat does not return with its response', () => {
  const [, section] = kinds
  const start = applyEvent(emptyState, {
    type: 'bootstrapReceived',
    response: buildBootstrap(...section!.start),
    snapshot: EMPTY_SNAPSHOT,
  })
  const deleted: SyncEvent = { type: 'sectionSaved', section: 'care', change: { deleted: true }, rev: null }
  const heartbeat = buildHeartbeat([], { sections: [care(2, 2)], digests: { sections: 'bbbbbb' } })
  const late: SyncEvent = { type: 'heartbeatReceived', heartbeat, snapshot: takeSnapshot(start) }
  expect([deleted, late].reduce(applyEvent, start).sections).toEqual([])
})

it('a message that is saved again stays saved when the event of its removal arrives later', () => {
  const { workspace } = buildBootstrap([])
  const saved = {
    id: 'm',
    channel_id: LOBBY,
    state: 'saved',
    saved_at: '2026-01-01T00:00:00Z',
    rev: 6,
  } as const
  const payload = { ...saved, workspace_id: workspace!.id }
  const removed = (rev: number): SyncEvent => ({
    type: 'userEventReceived',
    event: { event: 'saved', payload: { ...payload, rev, state: null } },
  })
  const start: SyncEvent[] = [
    { type: 'bootstrapReceived', response: buildBootstrap([]), snapshot: EMPTY_SNAPSHOT },
    { type: 'ownRowReceived', kind: 'saved', id: 'm', row: saved },
  ]
  const state = start.reduce(applyEvent, emptyState)
  expect(applyEvent(state, removed(5)).saved.get('m')).toEqual(saved)
  expect(applyEvent(state, removed(6)).saved.size).toBe(0)
})
