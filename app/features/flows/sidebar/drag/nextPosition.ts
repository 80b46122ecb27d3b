import { isChannel } from '../../../../../wire/channels.ts'
import type { SidebarItem } from '../../../../data/channels/channels.ts'
import type { SidebarGroup } from '../../../../data/sidebar/sections.ts'

/** A position in the sidebar: before the conversation at `index` of the group, not counting the moved one. */
export interface ListPosition {
  group: SidebarGroup
  index: number
}

/** Whether the group can contain the conversation: channels and direct conversations have separate groups. */
export function canContain(item: Pick<SidebarItem, 'kind'>, { kind }: Pick<SidebarGroup, 'kind'>): boolean {
  return kind === 'section' || kind === 'starred' || (kind === 'people') !== isChannel(item)
}

/**
 * Whether the group is ordered by the user; channels are sorted by name, direct conversations by their last message.
 */
export function isManuallyOrdered({ kind }: Pick<SidebarGroup, 'kind'>): boolean {
  return kind === 'section' || kind === 'starred'
}

/**
 * The position one step up or down, at the near end of the adjacent group after the last row; null at the end of the
 * list.
 */
export function nextPosition(groups: readonly SidebarGroup[], id: string, by: 1 | -1): ListPosition | null {
  const at = groups.findIndex((group) => group.items.some((item) => item.id === id))
  const group = groups[at]
  const index = group?.items.findIndex((item) => item.id === id) ?? -1
  const item = group?.items[index]
  if (!group || !item) return null
  const next = index + by
  if (isManuallyOrdered(group) && next >= 0 && next < group.items.length) return { group, index: next }
  for (let other = at + by; other >= 0 && other < groups.length; other += by) {
    const into = groups[other]
    if (into && canContain(item, into)) return { group: into, index: by > 0 ? 0 : into.items.length }
  }
  return null
}

/** The index one step up or down among the user's own sections; null at the end. */
export function nextSectionIndex(groups: readonly SidebarGroup[], id: string, by: 1 | -1): number | null {
  const own = groups.filter((group) => group.kind === 'section')
  const next = own.findIndex((group) => group.key === id) + by
  return next >= 0 && next < own.length ? next : null
}
