import type { Member, PresenceState, Profile, Uuid } from '../../wire/linnet.ts'

/** Everyone of the workspace, former members too, by name. */
export declare function useMembers(): Member[]
/** Null for someone we may not see (or not yet). */
export declare function useProfile(id: Uuid): Profile | null
export declare function usePresence(profileId: Uuid): PresenceState
/** Who is writing here now, oneself left out. `threadRoot` null: in the channel itself. */
export declare function useTyping(channelId: Uuid, threadRoot?: Uuid | null): Profile[]
