import type { SidebarItem } from '../../../data/channels/channels.ts'
import type { SideGroup } from '../../../data/sidebar/sections.ts'

/** A place in the sidebar: before the conversation that stands at `index` of the group, the moved one left out. */
export interface ListPosition {
  group: SideGroup
  index: number
}

/** Whether a conversation may stand in this part: channels and people each have their own home. */
export function canContain(item: Pick<SidebarItem, 'kind'>, { kind }: Pick<SideGroup, 'kind'>): boolean {
  const isDirectMessage = item.kind === 'direct' || item.kind === 'group'
  return kind === 'own' || kind === 'starred' || (kind === 'people') === isDirectMessage
}

/** Whether its order is made by hand; channels stand by name, people by who wrote last. */
export function isManuallyOrdered({ kind }: Pick<SideGroup, 'kind'>): boolean {
  return kind === 'own' || kind === 'starred'
}

/** One step up or down from where the conversation stands, into the neighbouring part at the end; null at the very end. */
export function nextPosition(groups: readonly SideGroup[], id: string, by: 1 | -1): ListPosition | null {
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

/** One step of a section among the others made by hand; null at the end. */
export function nextSectionIndex(groups: readonly SideGroup[], id: string, by: 1 | -1): number | null {
  const own = groups.filter((group) => group.kind === 'own')
  const next = own.findIndex((group) => group.key === id) + by
  return next >= 0 && next < own.length ? next : null
}
