import type { Member, PresenceState, Profile } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { hasStatus, presenceOf, presenceChoice } from './presence.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

const NO_MEMBERS: readonly Member[] = []
const NO_PROFILES: readonly Profile[] = []

const byName = memoizeByKey((_before: readonly Member[] | undefined, members: State['members']) =>
  [...members.values()].sort((a, b) => a.profile.name.localeCompare(b.profile.name)),
)

/** Everyone of the workspace, former members too, by name. */
export function useMembers(): readonly Member[] {
  return useClientSession((now) => (now ? byName('members', now.store.get().members) : NO_MEMBERS))
}

/** Null for someone we may not see (or not yet). */
export function useProfile(id: Uuid): Profile | null {
  return useClientSession((now) => now?.store.get().members.get(id)?.profile ?? null)
}

/** The person with their place in the workspace; null for someone we may not see (or not yet). */
export function useMember(id: Uuid): Member | null {
  return useClientSession((now) => now?.store.get().members.get(id) ?? null)
}

/** Of former members the app shows nothing but the name. */
function presentProfile(now: ClientSession | null, id: Uuid): Profile | null {
  const member = now?.store.get().members.get(id)
  return member?.state === 'active' ? member.profile : null
}

/** What a person's dot shows now: their own choice while it holds, else their heartbeats. */
export function usePresence(profileId: Uuid): PresenceState {
  return useClientSession((now) => {
    const state = now?.store.get()
    const profile = presentProfile(now, profileId)
    return profile ? presenceOf(profile, state?.presence.get(profileId) ?? 'offline', Date.now()) : 'offline'
  })
}

/** The profile of someone who has a status now, else null; it ends by itself at its moment. */
export function useStatus(profileId: Uuid): Profile | null {
  return useClientSession((now) => {
    const profile = presentProfile(now, profileId)
    return profile && hasStatus(profile, Date.now()) ? profile : null
  })
}

/** The presence that a person has chosen; `auto`: it follows from heartbeats. */
export function usePresenceChoice(profileId: Uuid): Profile['presence'] {
  return useClientSession((now) => {
    const profile = now?.store.get().members.get(profileId)?.profile
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

/** Who is writing here now, oneself left out. `threadRoot` null: in the channel itself. */
export function useTyping(channelId: Uuid, threadRoot: Uuid | null = null): readonly Profile[] {
  return useClientSession((now) => {
    if (!now) return NO_PROFILES
    const { members, me } = now.store.get()
    const ids = now.typing.people(channelId, threadRoot)
    return profilesOf(`${channelId}/${threadRoot ?? ''}`, ids, members, me?.profile.id)
  })
}
