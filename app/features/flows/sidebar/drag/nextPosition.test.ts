import { expect, test } from 'vitest'
import type { SidebarItem } from '../../../../data/channels/channels.ts'
import type { SidebarGroup } from '../../../../data/sidebar/sections.ts'
import { nextPosition, nextSectionIndex } from './nextPosition.ts'

const item = (id: string, kind: SidebarItem['kind'] = 'public') => ({ id, kind }) as SidebarItem
const group = (key: string, kind: SidebarGroup['kind'], ...items: SidebarItem[]): SidebarGroup => ({
  key,
  kind,
  section: null,
  items,
})

const groups = [
  group('starred', 'starred', item('a')),
  group('s1', 'section', item('b'), item('c')),
  group('s2', 'section'),
  group('channels', 'channels', item('d'), item('e')),
  group('people', 'people', item('f', 'direct')),
]

function step(id: string, by: 1 | -1) {
  const position = nextPosition(groups, id, by)
  return position && [position.group.key, position.index]
}

test('within a manually ordered group it moves by one', () => {
  expect(step('b', 1)).toEqual(['s1', 1])
  expect(step('c', -1)).toEqual(['s1', 0])
})

test('at the end of a group, an item moves to the near end of the next group', () => {
  expect(step('c', 1)).toEqual(['s2', 0])
  expect(step('b', -1)).toEqual(['starred', 1])
})

test('a conversation in a group with a fixed order leaves its group at once', () => {
  expect(step('e', -1)).toEqual(['s2', 0])
})

test("channels and direct conversations can't move to each other’s group", () => {
  expect(step('d', 1)).toBeNull()
  expect(step('f', -1)).toEqual(['s2', 0])
  expect(nextPosition([groups[0]!, groups[4]!], 'a', 1)).toBeNull()
})

test('there is no position beyond the ends, nor for an unknown conversation', () => {
  expect(step('a', -1)).toBeNull()
  expect(step('f', 1)).toBeNull()
  expect(step('z', 1)).toBeNull()
})

test('a section moves among the sections only', () => {
  expect(nextSectionIndex(groups, 's1', 1)).toBe(1)
  expect(nextSectionIndex(groups, 's2', 1)).toBeNull()
  expect(nextSectionIndex(groups, 's1', -1)).toBeNull()
})
