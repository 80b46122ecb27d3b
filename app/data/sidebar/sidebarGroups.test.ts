import { expect, test } from 'vitest'
import type { SidebarItem } from '../channels/channels.ts'
import { buildSidebarGroups } from './sidebarGroups.ts'

function item(name: string, change: Partial<SidebarItem> = {}): SidebarItem {
  return {
    id: name,
    kind: 'public',
    name,
    unread: 0,
    mentions: 0,
    muted: false,
    starred: false,
    notify: 'default',
    sectionId: null,
    position: null,
    archived: false,
    people: [],
    selfDirect: false,
    othersLeft: false,
    presence: null,
    status: null,
    lastMessageAt: null,
    ...change,
  }
}

const SECTIONS = [
  { id: 's1', name: 'Care', position: 1, collapsed: false, rev: 0 },
  { id: 's2', name: 'House', position: 2, collapsed: true, rev: 0 },
]

const shown = (...given: Parameters<typeof buildSidebarGroups>) =>
  buildSidebarGroups(...given).map((group) => [group.key, ...group.items.map((one) => one.name)].join(' '))

test('starred first, then sections, then each where its kind belongs', () => {
  const items = [
    item('rota'),
    item('ward 10'),
    item('ward 9'),
    item('Bea', { kind: 'direct', lastMessageAt: '2026-01-01' }),
    item('Noor', { kind: 'direct', lastMessageAt: '2026-01-02' }),
    item('front desk', { starred: true, sectionId: 's1' }),
    item('Tomás', { kind: 'direct', sectionId: 's1', position: 5 }),
    item('pharmacy', { sectionId: 's1', position: 1 }),
    item('later', { sectionId: 's1' }),
  ]
  expect(shown(items, SECTIONS, null)).toEqual([
    'starred front desk',
    's1 pharmacy Tomás later',
    's2',
    'channels rota ward 9 ward 10',
    'people Noor Bea',
  ])
})

test('nothing starred shows no part for it', () => {
  expect(shown([], [], null)).toEqual(['channels', 'people'])
})

test('what is archived has left, but for the one in front', () => {
  const items = [item('old', { archived: true }), item('older', { archived: true })]
  expect(shown(items, [], 'old')).toEqual(['channels old', 'people'])
})

test('conversations of a deleted section are listed by their kind', () => {
  const items = [
    item('a', { sectionId: 's9', position: 3 }),
    item('Bea', { kind: 'direct', sectionId: 's9' }),
  ]
  expect(shown(items, SECTIONS, null)).toEqual(['s1', 's2', 'channels a', 'people Bea'])
})

test('equal positions, made by two devices, stand by name', () => {
  const items = [item('b', { sectionId: 's1', position: 1 }), item('a', { sectionId: 's1', position: 1 })]
  expect(shown(items, SECTIONS, null)[0]).toBe('s1 a b')
})
