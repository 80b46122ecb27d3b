import { expect, test } from 'vitest'
import type { ChannelEntry, Channel } from '../../../wire/channels.ts'
import type { WorkspaceRole } from '../../../wire/people.ts'
import { channelPermissions, type ChannelPermissions } from './channelPermissions.ts'
import { buildChannelEntry } from '../store/buildRows.fixture.ts'

interface Change {
  channel?: Partial<Channel>
  member?: boolean
  channel_role?: ChannelEntry['channel_role']
  role?: WorkspaceRole
  unmanaged?: boolean
}

/** The names of what is allowed, in order. */
function allowed({ channel, role = 'member', unmanaged = false, ...rest }: Change = {}): string {
  const entry = buildChannelEntry()
  const rights: ChannelPermissions = channelPermissions(
    { ...entry, ...rest, channel: { ...entry.channel, ...channel } },
    role,
    unmanaged,
  )
  return Object.entries(rights)
    .flatMap(([name, may]) => (may ? name : []))
    .join(' ')
}

const EVERYTHING = 'post leave topic addPeople manage removePeople appoint archive deleteAny'
const ARCHIVED = { archived_at: '2026-01-01T00:00:00Z' }

test('who belongs writes, cares for the topic and brings others', () => {
  expect(allowed()).toBe('post leave topic addPeople')
  expect(allowed({ channel: { kind: 'private' } })).toBe('post leave topic addPeople')
})

test('its admins, and owners and admins who belong, manage it', () => {
  expect(allowed({ channel_role: 'admin' })).toBe(EVERYTHING)
  expect(allowed({ role: 'owner' })).toBe(EVERYTHING)
  expect(allowed({ role: 'admin' })).toBe(EVERYTHING)
})

test('who reads a public channel without belonging may join it, whatever their role', () => {
  expect(allowed({ member: false, channel_role: null })).toBe('join')
  expect(allowed({ member: false, channel_role: null, role: 'owner' })).toBe('join')
})

test('guests write where they are, and change nothing', () => {
  expect(allowed({ role: 'guest' })).toBe('post leave')
})

test('in a channel for announcements only those who lead it write', () => {
  expect(allowed({ channel: { posting: 'admins' } })).toBe('leave addPeople')
  expect(allowed({ channel: { posting: 'admins' }, channel_role: 'admin' })).toBe(EVERYTHING)
})

test('what is archived can be left, opened again, and put out of', () => {
  expect(allowed({ channel: ARCHIVED })).toBe('leave')
  expect(allowed({ channel: ARCHIVED, channel_role: 'admin' })).toBe('leave removePeople archive deleteAny')
  expect(allowed({ channel: ARCHIVED, member: false, channel_role: null })).toBe('')
})

test('without a manager, any full member may appoint one', () => {
  expect(allowed({ unmanaged: true })).toBe('post leave topic addPeople appoint')
  expect(allowed({ unmanaged: true, role: 'guest' })).toBe('post leave')
})

test('in direct and group conversations only posting is permitted', () => {
  expect(allowed({ channel: { kind: 'direct', name: null } })).toBe('post')
  expect(allowed({ channel: { kind: 'group', name: null }, role: 'owner' })).toBe('post')
})
