import type { ChannelEntry, ChannelKind, PresenceState, Profile, Uuid } from '../../wire/linnet.ts'

export interface SidebarItem {
  id: Uuid
  kind: ChannelKind
  /** A channel's name; for direct and group conversations the others' names, joined by commas. */
  name: string
  /** 0–100; 100 is shown as "99+". */
  unread: number
  mentions: number
  muted: boolean
  starred: boolean
  archived: boolean
  /** The other people of a direct or group conversation; empty for channels and one's notebook. */
  people: Profile[]
  /** A direct conversation with oneself. */
  notebook: boolean
  /** Of the one other person of a direct conversation, else null. */
  presence: PresenceState | null
  lastMessageAt: string | null
}

export interface Sidebar {
  /** Public and private ones one belongs to, by name. */
  channels: SidebarItem[]
  /** Direct and group conversations, most recent first. */
  directs: SidebarItem[]
}

/** Everything one belongs to. Re-renders when a row of it changes, not with each message. */
export declare function useSidebar(): Sidebar

export type ChannelView = SidebarItem & {
  entry: ChannelEntry
  /** False: a public channel that one reads without having joined. */
  member: boolean
  /** Whether one may write here (membership, archive, announcement-only). */
  mayPost: boolean
}
/** One channel, or 'loading', or 'missing' (unknown, or not for us: the same answer). */
export declare function useChannel(id: Uuid): ChannelView | 'loading' | 'missing'

/**
 * Says that this conversation is in front: holds its topic, keeps it fresh. Call in an effect; the
 * returned function lets go (the topic stays among the recent ones).
 */
export declare function openChannel(id: Uuid): () => void
