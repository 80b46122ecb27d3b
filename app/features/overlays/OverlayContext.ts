import { createContext, use } from 'react'
import type { UnsentCount } from '../../data/messages/countUnsent.ts'

/** What may lie over the conversation. One at a time. */
export type Overlay =
  | { kind: 'palette' }
  | { kind: 'create-channel'; name?: string }
  | { kind: 'browse-channels' }
  | { kind: 'new-conversation' }
  /** Everyone of the workspace. */
  | { kind: 'people' }
  /** A person's card; beside `anchor` where there is room, else it stands alone. */
  | { kind: 'person'; id: string; anchor?: HTMLElement }
  /** One's own status. */
  | { kind: 'status' }
  /** More people for a direct or group conversation, which makes a new one. */
  | { kind: 'add-people-to-conversation'; channelId: string }
  | { kind: 'invite'; channelId?: string }
  | { kind: 'channel'; channelId: string; tab?: 'about' | 'people' | 'settings'; edit?: 'topic' }
  | { kind: 'leave-channel'; channelId: string }
  /** A section of the side: its new name, or with null a new one, into which a conversation may go. */
  | { kind: 'section'; id: string | null; name?: string; channelId?: string }
  /** Who reacted to a message, beginning with one emoji. */
  | { kind: 'reactions'; channelId: string; messageId: string; emoji?: string }
  | { kind: 'keys' }
  /** Signing out, though words would go with it that are on this device alone. */
  | ({ kind: 'sign-out' } & UnsentCount)

/** What was typed while an overlay loaded. */
export interface TypedAhead {
  overlay: Overlay | null
  text: string
}

export const OverlayContext = createContext<(overlay: Overlay | null) => void>(() => {})

/** Opens an overlay, or closes what is open with null. */
export function useOverlay(): (overlay: Overlay | null) => void {
  return use(OverlayContext)
}
