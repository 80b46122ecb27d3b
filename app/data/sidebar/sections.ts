import type { Section, Uuid } from '../../../wire/linnet.ts'
import { sidebarItems } from '../channels/channels.ts'
import { currentOverlay } from '../mutations/currentOverlay.ts'
import type { Running } from '../session/clientSession.ts'
import { withSectionChanges } from '../store/ownRows.ts'
import type { Preferences } from '../store/preferences.ts'
import { sideGroups } from './sidebarGroups.ts'
import type { SideGroup } from './sidebarGroups.ts'
import { remembered, steady } from '../hooks/memoize.ts'
import { useRunning } from '../hooks/useClientSession.ts'

export type { Preferences, SideGroup }

const sectionsOf = remembered((_before, ...inputs: Parameters<typeof withSectionChanges>) =>
  withSectionChanges(...inputs),
)

/** One's sections in their order, as they are wished for. */
export function sectionsNow(now: Running): readonly Section[] {
  return sectionsOf('sections', now.store.get().sections, currentOverlay().sections())
}

const groupsOf = remembered(
  (before: readonly SideGroup[] | undefined, ...inputs: Parameters<typeof sideGroups>) =>
    steady(
      before,
      sideGroups(...inputs).map((group) => {
        const known = before?.find((one) => one.key === group.key)
        return steady(known, { ...group, items: steady(known?.items, group.items) })
      }),
    ),
)

const NO_GROUPS: readonly SideGroup[] = []

/** The sidebar in the order shown. `openId`: the conversation in front, which stays even when archived. */
export function useSideGroups(openId: Uuid | null): readonly SideGroup[] {
  return useRunning((now) => (now ? groupsNow(now, openId) : NO_GROUPS))
}

function groupsNow(now: Running, openId: Uuid | null): readonly SideGroup[] {
  return groupsOf(openId ?? '', sidebarItems(now), sectionsNow(now), openId)
}
