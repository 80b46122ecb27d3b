import { expect, it } from 'vitest'
import { buildThread, ME } from '../store/buildRows.fixture.ts'
import { buildUnreadGroups, keepOrder } from './unreadGroups.ts'

const item = (id: string, change: object = {}) => ({
  id,
  kind: 'public' as const,
  unread: 1,
  mentions: 0,
  muted: false,
  starred: false,
  archived: false,
  lastMessageAt: '2026-01-01T10:00:00Z',
  ...change,
})
const thread = (root_id: string, change: object = {}) =>
  buildThread({ root_id, follows: true, counts: { unread: 2, mentions: 0 }, ...change })

it('lists mentions first, then starred, direct messages, channels and threads, the latest first', () => {
  const groups = buildUnreadGroups(
    [
      item('read', { unread: 0 }),
      item('older'),
      item('later', { lastMessageAt: '2026-01-01T11:00:00Z' }),
      item('direct', { kind: 'direct' }),
      item('starred', { starred: true }),
      item('mention', { mentions: 1 }),
    ],
    [thread('thread'), thread('called', { counts: { unread: 1, mentions: 1 } })],
  )
  expect(new Set(groups.slice(0, 2).map(({ key }) => key))).toEqual(new Set(['mention', 'called']))
  expect(groups.slice(2).map(({ key }) => key)).toEqual(['starred', 'direct', 'later', 'older', 'thread'])
})

it('leaves out muted conversations without a mention, archived ones, and threads that are not followed', () => {
  const groups = buildUnreadGroups(
    [
      item('muted', { muted: true }),
      item('mentioned', { muted: true, mentions: 1 }),
      item('old', { archived: true }),
    ],
    [thread('left', { follows: false }), thread('read', { counts: { unread: 0, mentions: 0 } })],
  )
  expect(groups.map(({ key }) => key)).toEqual(['mentioned'])
})

it('keeps the places of groups that were read and become unread again', () => {
  const build = (...ids: string[]) =>
    buildUnreadGroups(
      ids.map((id) => item(id)),
      [],
    )
  const first = keepOrder([], build('a', 'b', 'c'))
  expect(first).toHaveLength(3)
  const second = keepOrder(first, build('d', 'c', ME))
  expect(second.slice(0, 3)).toEqual(first)
  expect(new Set(second.slice(3))).toEqual(new Set(['d', ME]))
})
