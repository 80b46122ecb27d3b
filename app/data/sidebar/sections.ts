import type { Section } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { sidebarItems } from '../channels/channels.ts'
import { currentOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { withSectionChanges } from '../store/ownRows.ts'
import type { Preferences } from '../store/ownRows.ts'
import { buildSidebarGroups } from './sidebarGroups.ts'
import type { SidebarGroup } from './sidebarGroups.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export type { Preferences, SidebarGroup }

const sectionsOf = memoizeByKey((_before, ...inputs: Parameters<typeof withSectionChanges>) =>
  withSectionChanges(...inputs),
)

/** The user's sections in order, with pending changes. */
export function currentSections(session: ClientSession): readonly Section[] {
  return sectionsOf('sections', session.store.get().sections, currentOptimisticUpdates().sections())
}

const groupsOf = memoizeByKey(
  (before: readonly SidebarGroup[] | undefined, ...inputs: Parameters<typeof buildSidebarGroups>) =>
    reuseIfEqual(
      before,
      buildSidebarGroups(...inputs).map((group) => {
        const known = before?.find((one) => one.key === group.key)
        return reuseIfEqual(known, { ...group, items: reuseIfEqual(known?.items, group.items) })
      }),
    ),
)

const NO_GROUPS: readonly SidebarGroup[] = []

/** The groups of the sidebar in order. `openId`: the open conversation, which is listed even if it is archived. */
export function useSidebarGroups(openId: Uuid | null): readonly SidebarGroup[] {
  return useClientSession((session) => (session ? currentGroups(session, openId) : NO_GROUPS))
}

function currentGroups(session: ClientSession, openId: Uuid | null): readonly SidebarGroup[] {
  return groupsOf(openId ?? '', sidebarItems(session), currentSections(session), openId)
}
