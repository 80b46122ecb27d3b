import { isChannel, type Section } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { SidebarItem } from '../channels/channels.ts'
import { createSortOnce } from '../hooks/memoize.ts'

/** A group of the sidebar: starred conversations, a section, or the default group of channels or people. */
export interface SidebarGroup {
  /** `starred`, `channels`, `people`, or the id of a section. */
  key: string
  kind: 'starred' | 'section' | 'channels' | 'people'
  /** The section; null for the starred group and the default groups. */
  section: Section | null
  items: readonly SidebarItem[]
}

const collator = new Intl.Collator(undefined, { numeric: true })

const sortByName = createSortOnce<SidebarItem>({
  idOf: ({ id }) => id,
  keyOf: ({ name }) => name,
  compare: (a, b) => collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1),
})

// The items of a group are in the order of their names before these sort them.
const byPosition = (a: SidebarItem, b: SidebarItem) => rankOf(a) - rankOf(b) || 0
const rankOf = ({ position }: SidebarItem) => position ?? Infinity
const latestFirst = ({ lastMessageAt: a }: SidebarItem, { lastMessageAt: b }: SidebarItem) =>
  a === b ? 0 : (a ?? '') < (b ?? '') ? 1 : -1

/**
 * Groups the user's conversations: starred ones, own sections, channels by name, people by last message. Archived
 * conversations are left out, except the open one. Conversations of a deleted section are in the default groups.
 */
export function buildSidebarGroups(
  items: readonly SidebarItem[],
  sections: readonly Section[],
  openId: Uuid | null,
): SidebarGroup[] {
  const known = new Set(sections.map((section) => section.id))
  const itemsByKey = new Map<string, SidebarItem[]>()
  for (const item of sortByName(items)) {
    if (item.archived && item.id !== openId) continue
    const key = keyOf(item, known)
    const others = itemsByKey.get(key)
    if (others) others.push(item)
    else itemsByKey.set(key, [item])
  }
  const group = (
    key: string,
    kind: SidebarGroup['kind'],
    order: (a: SidebarItem, b: SidebarItem) => number,
    section: Section | null = null,
  ): SidebarGroup => ({ key, kind, section, items: (itemsByKey.get(key) ?? []).sort(order) })
  return [
    ...(itemsByKey.has('starred') ? [group('starred', 'starred', byPosition)] : []),
    ...sections.map((section) => group(section.id, 'section', byPosition, section)),
    group('channels', 'channels', () => 0),
    group('people', 'people', latestFirst),
  ]
}

function keyOf(item: SidebarItem, known: ReadonlySet<Uuid>): string {
  if (item.starred) return 'starred'
  if (item.sectionId !== null && known.has(item.sectionId)) return item.sectionId
  return isChannel(item) ? 'channels' : 'people'
}
