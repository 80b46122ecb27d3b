import type { Uuid } from '../../wire/linnet.ts'

export interface Draft {
  /** Null until read from this device. */
  text: string | null
  setText: (text: string) => void
}
/** What was typed and not sent, kept on this device, one a channel and one a thread. */
export declare function useDraft(channelId: Uuid, threadRoot?: Uuid | null): Draft
