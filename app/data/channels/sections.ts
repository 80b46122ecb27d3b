import type { Section, Uuid } from '../../../wire/linnet.ts'
import { sidebarItems } from './channels.ts'
import { wishesNow } from '../messages/reactions.ts'
import type { Running } from '../runtime.ts'
import { withSectionChanges } from '../side/ownSections.ts'
import type { Preferences } from '../side/preferences.ts'
import { sideGroups } from '../side/sideGroups.ts'
import type { SideGroup } from '../side/sideGroups.ts'
import { remembered, steady } from '../steady.ts'
import { useRunning } from '../useRunning.ts'

export type { Preferences, SideGroup }

const sectionsOf = remembered((_before, ...inputs: Parameters<typeof withSectionChanges>) =>
  withSectionChanges(...inputs),
)

/** One's sections in their order, as they are wished for. */
export function sectionsNow(now: Running): readonly Section[] {
  return sectionsOf('sections', now.store.get().sections, wishesNow().sections())
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
