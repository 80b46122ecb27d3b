import type { SidebarItem } from '../../../data/channels/channels.ts'
import { useMembers } from '../../../data/people/people.ts'
import { useMe } from '../../parts/members/MeContext.ts'

/** The active members without a direct conversation in the sidebar: neither bots nor the reader. */
export function usePeopleWithoutDirect(directs: readonly SidebarItem[]): ReturnType<typeof useMembers> {
  const me = useMe().profile.id
  const existing = new Set(directs.filter(({ kind }) => kind === 'direct').map(({ people }) => people[0]?.id))
  return useMembers().filter(
    ({ profile, state }) =>
      state === 'active' && profile.kind !== 'bot' && profile.id !== me && !existing.has(profile.id),
  )
}
