import { createContext, use } from 'react'
import type { Poll, Reminder } from '../../../../wire/messages.ts'
import type { AdministeredPerson } from '../../../../wire/people.ts'
import type { UploadWatch } from '../../../data/messages/uploadScheduledFiles.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import type { RemovalTarget } from '../../../data/moderation/moderation.ts'
import type { UnsentCount } from '../../../data/messages/countUnsent.ts'
import type { PersonAction } from '../../flows/people/manage/personActions.ts'

/** A dialog or popover over the page. One is open at a time. */
export type Overlay =
  | { kind: 'palette' }
  | { kind: 'create-channel'; name?: string }
  | { kind: 'browse-channels' }
  | { kind: 'new-conversation' }
  /** A person's profile; beside `anchor` where there is room, else in a dialog. */
  | { kind: 'person'; id: string; anchor?: HTMLElement }
  /** The reader's own status. */
  | { kind: 'status' }
  /** Adds people to a direct or group conversation, which starts a new one. */
  | { kind: 'add-people-to-conversation'; channelId: string }
  | { kind: 'invite'; channelId?: string }
  | { kind: 'channel'; channelId: string; tab?: 'about' | 'people' | 'settings'; edit?: 'topic' }
  | { kind: 'leave-channel'; channelId: string }
  /** Deletes a channel after its name was entered. */
  | { kind: 'delete-channel'; channel: { id: string; name: string } }
  /** Renames a section of the sidebar, or creates one (`id` null) and moves a conversation into it. */
  | { kind: 'section'; id: string | null; name?: string; channelId?: string }
  /** Who reacted to a message, starting with one emoji. */
  | { kind: 'reactions'; channelId: string; messageId: string; emoji?: string }
  /** `first`: the poll that was discarded. */
  | {
      kind: 'create-poll'
      channelId: string
      threadRoot: string | null
      first?: { question: string; poll: Poll }
    }
  /** Opens a channel at a date, chosen from a menu at `anchor`, or in a dialog. `day`: as in "2026-11-03". */
  | { kind: 'jump-to-date'; channelId: string; anchor?: HTMLElement; day?: string }
  /** Forwards messages in this order. `onForwarded`: called once they are in the outbox. */
  | {
      kind: 'forward'
      messageIds: readonly string[]
      first?: { to: string; comment: string }
      onForwarded?: () => void
    }
  /** Creates a reminder, of a text or a message, or changes one. */
  | { kind: 'reminder'; reminder?: Reminder; text?: string; messageId?: string }
  /** Chooses the time at which the message in the field is sent. */
  | {
      kind: 'schedule-message'
      /** The time that is offered first. */
      first?: Date
      onSchedule: (at: Date, watch: UploadWatch) => Promise<Outcome>
    }
  /** Moves a message with its replies to another channel. */
  | { kind: 'move-thread'; channelId: string; messageId: string }
  /** Who can read a message and its files. */
  | { kind: 'readers'; channelId: string; messageId: string }
  /** Reports a message to owners and admins. */
  | { kind: 'report'; channelId: string; messageId: string }
  /** Removes a message of somebody else with a reason. */
  | { kind: 'remove-message'; target: RemovalTarget }
  /** Changes the role or the access of a person. */
  | { kind: 'change-person'; action: PersonAction; person: AdministeredPerson }
  /** Silences a person for a time. */
  | { kind: 'silence'; id: string }
  /** Earlier texts of an own message. */
  | { kind: 'edit-history'; channelId: string; messageId: string }
  /** Creates a further workspace. */
  | { kind: 'create-workspace' }
  | { kind: 'keys' }
  /** Confirms signing out, which would delete unsent messages and drafts of this device. */
  | ({ kind: 'sign-out' } & UnsentCount)

/** The maximum number of characters that are stored while an overlay loads. */
const MAX_TYPED = 100

/** The text that is typed before the field of an overlay has the focus. */
export interface TypedAhead {
  overlay: Overlay | null
  text: () => string
  /** Sets the text. Characters after the first 100 are ignored. */
  set: (text: string) => void
  subscribe: (listener: () => void) => () => void
}

/** Creates the storage of the keys that are typed while an overlay loads. */
export function createTypedAhead(overlay: Overlay | null): TypedAhead {
  let text = ''
  const listeners = new Set<() => void>()
  return {
    overlay,
    text: () => text,
    set: (next) => {
      text = next.slice(0, MAX_TYPED)
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Provides the function that opens an overlay. */
export const OverlayContext = createContext<(overlay: Overlay | null) => void>(() => {})

/** Opens an overlay; null closes it. */
export function useOverlay(): (overlay: Overlay | null) => void {
  return use(OverlayContext)
}
