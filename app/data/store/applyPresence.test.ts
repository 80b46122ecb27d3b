import { describe, expect, it } from 'vitest'
import type { Heartbeat } from '../../../wire/sync.ts'
import { applyEvent } from './applyEvent.ts'
import { buildBootstrap, buildHeartbeat, buildProfile, ME, OTHER } from './buildRows.fixture.ts'
import { takeSnapshot } from './requestSnapshot.ts'
import { emptyState, type State } from './state.ts'
import { EMPTY_SNAPSHOT } from './requestSnapshot.ts'

const THIRD = '00000000-0000-4000-8000-00000000000c'

const people = [
  { profile: buildProfile(ME, 'Ann'), role: 'owner', state: 'active', number: 12 },
  { profile: buildProfile(OTHER, 'Bea'), role: 'member', state: 'active', number: 15 },
  { profile: buildProfile(THIRD, 'Cem'), role: 'member', state: 'active', number: 700 },
] as const

function start(members = people.slice()): State {
  const response = buildBootstrap([], { members: [...members] })
  return applyEvent(emptyState, { type: 'bootstrapReceived', response, snapshot: EMPTY_SNAPSHOT })
}

function beat(state: State, change: Partial<Heartbeat>, sent = state): State {
  const heartbeat = buildHeartbeat([], change)
  return applyEvent(state, { type: 'heartbeatReceived', heartbeat, snapshot: takeSnapshot(sent) })
}

const complete = (text: string, cursor = '1:1:') => ({
  presence: { complete: true, changes: [text] },
  digests: { presence: cursor },
})
const changes = (texts: string[], cursor: string) => ({
  presence: { complete: false, changes: texts },
  digests: { presence: cursor },
})

describe('a heartbeat', () => {
  it('shows who is present, and changes of it in their order', () => {
    const first = beat(start(), complete('12a3w685a'))
    expect(first.presence).toEqual(
      new Map([
        [ME, 'active'],
        [OTHER, 'away'],
        [THIRD, 'active'],
      ]),
    )
    expect(first.digests.presence).toBe('1:1:')
    const second = beat(first, changes(['15a', '12w3o', '700o'], '1:4:'))
    expect(second.presence).toEqual(new Map([[ME, 'away']]))
    expect(second.digests.presence).toBe('1:4:')
  })

  it('removes those who are not in the presence of everybody', () => {
    const first = beat(start(), complete('12a3w'))
    expect(beat(first, complete('15w', '2:1:')).presence).toEqual(new Map([[OTHER, 'away']]))
  })

  it('without changes keeps the presence, and its cursor', () => {
    const first = beat(start(), complete('12a3w'))
    const second = beat(first, changes([], '1:9:'))
    expect(second.presence).toBe(first.presence)
    expect(second.digests.presence).toBe('1:9:')
  })

  it('with a member who is not loaded gives no cursor, so that the next one returns everybody', () => {
    const first = beat(start(people.slice(0, 2)), complete('12a3w685a'))
    expect(first.presence).toEqual(
      new Map([
        [ME, 'active'],
        [OTHER, 'away'],
      ]),
    )
    expect(first.digests.presence).toBeUndefined()
  })

  it('with changes since another cursor than the present one changes nothing', () => {
    const before = start()
    const first = beat(before, complete('12a3w'))
    const late = beat(first, changes(['12o'], '1:5:'), before)
    expect(late.presence).toBe(first.presence)
    expect(late.digests.presence).toBe('1:1:')
  })

  it('shows guests the presence of people by their ids', () => {
    const first = beat(start(), {
      ...complete(''),
      people: [{ profile_id: OTHER, state: 'active' }],
    })
    expect(first.presence).toEqual(new Map([[OTHER, 'active']]))
    const second = beat(first, { ...changes([], '1:9:'), people: [{ profile_id: OTHER, state: 'offline' }] })
    expect(second.presence.size).toBe(0)
  })
})
