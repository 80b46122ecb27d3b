import { useClientSession } from '../hooks/useClientSession.ts'
import type { KnownUserGroup } from '../store/knownUserGroups.ts'
import { readerOf } from '../store/reader.ts'
import { isMentioned } from '../store/unreadCounts.ts'

const NONE: readonly KnownUserGroup[] = []

/** Returns the groups that the reader may see, by name; none until they are loaded. */
export function useUserGroups(): readonly KnownUserGroup[] {
  return useClientSession((session) => session?.store.get().userGroups ?? NONE)
}

/** Whether the groups are loaded. */
export function useAreUserGroupsLoaded(): boolean {
  return useClientSession((session) => (session?.store.get().userGroups ?? null) !== null)
}

/** Whether a text mentions the reader, a group of theirs, or everyone. */
export function useIsMentioned(body: string): boolean {
  return useClientSession((session) => session !== null && isMentioned(body, readerOf(session.store.get())))
}
