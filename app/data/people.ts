import type { Member, PresenceState, Profile, Uuid } from '../../wire/linnet.ts'
import { remembered, steady } from './steady.ts'
import type { State } from './sync/state.ts'
import { useRunning } from './useRunning.ts'

const NO_MEMBERS: readonly Member[] = []
const NO_PROFILES: readonly Profile[] = []

const byName = remembered((_before: readonly Member[] | undefined, members: State['members']) =>
  [...members.values()].sort((a, b) => a.profile.name.localeCompare(b.profile.name)),
)

/** Everyone of the workspace, former members too, by name. */
export function useMembers(): readonly Member[] {
  return useRunning((now) => (now ? byName('members', now.store.get().members) : NO_MEMBERS))
}

/** Null for someone we may not see (or not yet). */
export function useProfile(id: Uuid): Profile | null {
  return useRunning((now) => now?.store.get().members.get(id)?.profile ?? null)
}

export function usePresence(profileId: Uuid): PresenceState {
  return useRunning((now) => now?.store.get().presence.get(profileId) ?? 'offline')
}

const profilesOf = remembered(
  (
    before: readonly Profile[] | undefined,
    ids: readonly Uuid[],
    members: State['members'],
    me: Uuid | undefined,
  ) =>
    steady(
      before,
      ids.flatMap((id) => (id === me ? [] : (members.get(id)?.profile ?? []))),
    ),
)

/** Who is writing here now, oneself left out. `threadRoot` null: in the channel itself. */
export function useTyping(channelId: Uuid, threadRoot: Uuid | null = null): readonly Profile[] {
  return useRunning((now) => {
    if (!now) return NO_PROFILES
    const { members, me } = now.store.get()
    const ids = now.typing.people(channelId, threadRoot)
    return profilesOf(`${channelId}/${threadRoot ?? ''}`, ids, members, me?.profile.id)
  })
}
