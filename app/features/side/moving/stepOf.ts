import type { SidebarItem } from '../../../data/channels/channels.ts'
import type { SideGroup } from '../../../data/sidebar/sections.ts'

/** A place in the sidebar: before the conversation that stands at `index` of the group, the moved one left out. */
export interface Place {
  group: SideGroup
  index: number
}

/** Whether a conversation may stand in this part: channels and people each have their own home. */
export function mayStandIn(item: Pick<SidebarItem, 'kind'>, { kind }: Pick<SideGroup, 'kind'>): boolean {
  const talk = item.kind === 'direct' || item.kind === 'group'
  return kind === 'own' || kind === 'starred' || (kind === 'people') === talk
}

/** Whether its order is made by hand; channels stand by name, people by who wrote last. */
export function isByHand({ kind }: Pick<SideGroup, 'kind'>): boolean {
  return kind === 'own' || kind === 'starred'
}

/** One step up or down from where the conversation stands, into the neighbouring part at the end; null at the very end. */
export function stepOf(groups: readonly SideGroup[], id: string, by: 1 | -1): Place | null {
  const at = groups.findIndex((group) => group.items.some((item) => item.id === id))
  const group = groups[at]
  const index = group?.items.findIndex((item) => item.id === id) ?? -1
  const item = group?.items[index]
  if (!group || !item) return null
  const next = index + by
  if (isByHand(group) && next >= 0 && next < group.items.length) return { group, index: next }
  for (let other = at + by; other >= 0 && other < groups.length; other += by) {
    const into = groups[other]
    if (into && mayStandIn(item, into)) return { group: into, index: by > 0 ? 0 : into.items.length }
  }
  return null
}

/** One step of a section among the others made by hand; null at the end. */
export function stepOfSection(groups: readonly SideGroup[], id: string, by: 1 | -1): number | null {
  const own = groups.filter((group) => group.kind === 'own')
  const next = own.findIndex((group) => group.key === id) + by
  return next >= 0 && next < own.length ? next : null
}
