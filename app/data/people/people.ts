import type { Member, Profile, PresenceState } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { hasStatus, presenceOf, presenceChoice } from './presence.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { displayedMember } from './displayedMember.ts'
import { createSortOnce, memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

const NO_MEMBERS: readonly Member[] = []
const NO_PROFILES: readonly Profile[] = []

const { compare } = new Intl.Collator()
const sortByName = createSortOnce<Member>({
  idOf: ({ profile }) => profile.id,
  keyOf: ({ profile }) => profile.name,
  compare: (a, b) => compare(a.profile.name, b.profile.name),
})
const byName = memoizeByKey((_before: readonly Member[] | undefined, members: State['members']) =>
  sortByName(Array.from(members.values(), (member) => displayedMember(member))),
)

/** Returns all members of the workspace, including former ones, ordered by name. */
export function useMembers(): readonly Member[] {
  return useClientSession((session) =>
    session ? byName('members', session.store.get().members) : NO_MEMBERS,
  )
}

/** Returns the profile of a person; null for a person who is not visible to the user or not loaded yet. */
export function useProfile(id: Uuid): Profile | null {
  return useClientSession((session) => displayedMember(session?.store.get().members.get(id))?.profile ?? null)
}

/** Returns a person with their role; null for a person who is not visible to the user or not loaded yet. */
export function useMember(id: Uuid): Member | null {
  return useClientSession((session) => displayedMember(session?.store.get().members.get(id)) ?? null)
}

/**
 * Returns the profile of a current member. Only the name of a former member is displayed, so it returns null for
 * them.
 */
function presentProfile(session: ClientSession | null, id: Uuid): Profile | null {
  const member = session?.store.get().members.get(id)
  return member?.state === 'active' ? member.profile : null
}

/**
 * Returns the displayed presence of a person. A chosen presence is displayed until it expires; otherwise the presence
 * follows from heartbeats.
 */
export function usePresence(profileId: Uuid): PresenceState {
  return useClientSession((session) => {
    const state = session?.store.get()
    const profile = presentProfile(session, profileId)
    return profile ? presenceOf(profile, state?.presence.get(profileId) ?? 'offline', Date.now()) : 'offline'
  })
}

/** Returns the profile of a person while they have a status that has not expired; else null. */
export function useStatus(profileId: Uuid): Profile | null {
  return useClientSession((session) => {
    const profile = presentProfile(session, profileId)
    return profile && hasStatus(profile, Date.now()) ? profile : null
  })
}

/** Returns the presence that a person has chosen. `auto`: it follows from heartbeats. */
export function usePresenceChoice(profileId: Uuid): Profile['presence'] {
  return useClientSession((session) => {
    const profile = session?.store.get().members.get(profileId)?.profile
    return profile ? presenceChoice(profile, Date.now()) : 'auto'
  })
}

const profilesOf = memoizeByKey(
  (
    before: readonly Profile[] | undefined,
    ids: readonly Uuid[],
    members: State['members'],
    me: Uuid | undefined,
  ) =>
    reuseIfEqual(
      before,
      ids.flatMap((id) => (id === me ? [] : (members.get(id)?.profile ?? []))),
    ),
)

/** Returns the other people who are typing. `threadRoot` null: in the channel itself. */
export function useTyping(channelId: Uuid, threadRoot: Uuid | null = null): readonly Profile[] {
  return useClientSession((session) => {
    if (!session) return NO_PROFILES
    const { members, me } = session.store.get()
    const ids = session.typing.people(channelId, threadRoot)
    return profilesOf(`${channelId}/${threadRoot ?? ''}`, ids, members, me?.profile.id)
  })
}
