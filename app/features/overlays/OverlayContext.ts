import { createContext, use } from 'react'

/** What may lie over the conversation. One at a time. */
export type Overlay =
  | { kind: 'palette' }
  | { kind: 'create-channel' }
  | { kind: 'browse-channels' }
  | { kind: 'new-conversation' }
  | { kind: 'invite'; channelId?: string }
  | { kind: 'channel'; channelId: string }
  | { kind: 'keys' }

export const OverlayContext = createContext<(overlay: Overlay | null) => void>(() => {})

/** Opens an overlay, or closes what is open with null. */
export function useOverlay(): (overlay: Overlay | null) => void {
  return use(OverlayContext)
}
