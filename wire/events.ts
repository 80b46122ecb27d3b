import type { Channel, ChannelEntry, ChannelMemberState, Section, UnreadCounts } from './channels.ts'
import type { CommandResponse } from './botCommands.ts'
import type {
  ChangedReaction,
  Draft,
  Message,
  SavedMessage,
  SavedSearch,
  Reminder,
  ScheduledMessage,
} from './messages.ts'
import type { Member, Workspace } from './people.ts'
import type { Uuid } from './scalars.ts'
import type { OwnRows } from './sync.ts'
import type { ThreadState } from './threads.ts'

/** The events that the database publishes on private topics. They can be lost, so clients compare revs. */

/** Ids of the change `rev` and of the one before it. */
export interface ChangeIds {
  change_id?: number
  previous_change_id?: number
}

/** `channel:<channel id>:<epoch>` */
export type ChannelEvent =
  /** A complete message: new, edited or deleted. */
  | { event: 'message'; payload: { channel_id: Uuid; rev: number; message: Message } & ChangeIds }
  /** Other changes of a message since its rev `before`. A client that has another rev calls `channel_changes`. */
  | {
      event: 'changed'
      payload: {
        channel_id: Uuid
        rev: number
        message_id: Uuid
        before: number
        changes?: Pick<
          Message,
          'last_thread_seq' | 'reply_count' | 'reply_people' | 'last_reply_at' | 'pinned_at'
        >
        reaction?: ChangedReaction
      } & ChangeIds
    }
  /** A change that not every subscriber may read. The client calls `channel_changes`. */
  | { event: 'rev'; payload: { channel_id: Uuid; rev: number } & ChangeIds }
  /** Name, topic, posting, archive, people or retention changed. Sent when every subscriber may read all of `channel`. */
  | { event: 'meta'; payload: { channel_id: Uuid; rev: number; channel: Channel } & ChangeIds }
  /**
   * The last event on the old topic. The client joins `channel:<id>:<epoch>` after a jitter that grows with
   * `members`.
   */
  | { event: 'epoch'; payload: { channel_id: Uuid; epoch: number; rev: number; members: number } }
  | { event: 'typing'; payload: { channel_id: Uuid; profile_id: Uuid; thread_root: Uuid | null } }

/** `user:<profile id>` */
export type UserEvent =
  /**
   * The complete entry after the person joined, was added or removed, or the channel changed for them; null: no
   * access.
   */
  | { event: 'membership'; payload: { channel_id: Uuid; entry: ChannelEntry | null } }
  /** Own read marker or preferences changed, in any tab or device. */
  | { event: 'state'; payload: { channel_id: Uuid; state: ChannelMemberState; counts: UnreadCounts } }
  /** A message in a direct or group conversation, or one that mentions the reader. */
  | { event: 'activity'; payload: { channel_id: Uuid; seq: number | null; rev: number; mention: boolean } }
  /**
   * The first unread message in a channel, for people who are in several workspaces. The unread count of this
   * workspace may have changed.
   */
  | { event: 'unread'; payload: { workspace_id: Uuid; channel_id: Uuid } }
  /**
   * A message that the person had not read was deleted or moved. Their unread counts differ, and a page may have notified
   * them of it.
   */
  | { event: 'message_deleted'; payload: { channel_id: Uuid; message_id: Uuid } }
  /**
   * An edit of a message that the person has not read has added or removed a mention of them or one of their keywords.
   * `notifies`: whether the message still notifies them.
   */
  | {
      event: 'message_edited'
      payload: { channel_id: Uuid; message_id: Uuid; rev: number; notifies: boolean }
    }
  /**
   * Another person replied in a thread that the person follows; `mention`: the reply mentions them. Not sent for threads
   * with more than 20 followers, whose replies reach clients by the topic of the channel and by heartbeats.
   */
  | {
      event: 'reply'
      payload: { channel_id: Uuid; root_id: Uuid; thread_seq: number; rev: number; mention: boolean }
    }
  /** Own read marker in a thread moved, `follows` changed, or an unread reply was deleted in a thread of at most 20 followers. */
  | { event: 'thread'; payload: ThreadState }
  /** All own sections, after a change. */
  | { event: 'sections'; payload: { workspace_id: Uuid; sections: Section[] } }
  | { event: 'draft'; payload: Draft & { workspace_id: Uuid } }
  /** A change of an own row that is too large for a broadcast. The next heartbeat or bootstrap returns the row. */
  | { event: 'own_row'; payload: { kind: keyof OwnRows; id: Uuid; rev: number; workspace_id: Uuid } }
  /** `state` null: no longer saved. */
  | {
      event: 'saved'
      payload: Omit<SavedMessage, 'state'> & { state: SavedMessage['state'] | null; workspace_id: Uuid }
    }
  /** `state` null: dismissed, or removed after a day. */
  | {
      event: 'response'
      payload:
        | (CommandResponse & { workspace_id: Uuid })
        | { id: Uuid; channel_id: Uuid; workspace_id: Uuid; state: null }
    }
  /** `state` null: deleted. */
  | {
      event: 'search'
      payload: (SavedSearch & { workspace_id: Uuid }) | { id: Uuid; workspace_id: Uuid; state: null }
    }
  /** Own notification preferences changed. Pages that use them fetch them again. */
  | { event: 'notification_preferences'; payload: { workspace_id: Uuid } }
  /** The user was silenced, or no longer is. Pages that have fetched the silence fetch it again. */
  | { event: 'silence'; payload: { workspace_id: Uuid } }
  /**
   * A request to join changed. Its person, owners and admins receive the event, and their pages fetch the request
   * again.
   */
  | { event: 'join_requests'; payload: { workspace_id: Uuid } }
  /** For owners and admins: the number of `AdminTasks.integrations` changed. */
  | { event: 'integrations'; payload: { workspace_id: Uuid } }
  /** For owners and admins: a report was made, taken or closed. */
  | { event: 'reports'; payload: { workspace_id: Uuid } }
  /** `state` null: sent or deleted. */
  | {
      event: 'scheduled'
      payload: (ScheduledMessage & { workspace_id: Uuid }) | { id: Uuid; workspace_id: Uuid; state: null }
    }
  /** `state` null: completed or deleted. */
  | {
      event: 'reminders'
      payload: (Reminder & { workspace_id: Uuid }) | { id: Uuid; workspace_id: Uuid; state: null }
    }
  /** For guests, who cannot join the workspace's topic: a member whom they may see was added or changed. */
  | { event: 'member'; payload: { workspace_id: Uuid; member: Member } }
  /** The person's membership of the workspace began, changed or ended. The client requests the bootstrap again. */
  | { event: 'workspace'; payload: { workspace_id: Uuid } }
  /** The workspace or one of its settings changed. Also sent to guests. */
  | { event: 'workspace_changed'; payload: { workspace: Workspace } }

/** `workspace:<workspace id>:<epoch>`, for its full members */
export type WorkspaceEvent =
  /** A member of the workspace was added or changed. */
  | { event: 'member'; payload: { workspace_id: Uuid; rev: number; member: Member } }
  /** The workspace or one of its settings changed. */
  | { event: 'workspace_changed'; payload: { workspace_id: Uuid; rev: number; workspace: Workspace } }
  /** The last event on the old topic. The client joins the new one after a jitter that grows with `members`. */
  | { event: 'epoch'; payload: { workspace_id: Uuid; rev: number; epoch: number; members: number } }

/** Returns the topic on which a channel's changes are published at `epoch`. */
export function channelTopic(channelId: Uuid, epoch: number): string {
  return `channel:${channelId}:${epoch}`
}

/** Returns the topic of a workspace's people and name at `epoch`. */
export function workspaceTopic(workspaceId: Uuid, epoch: number): string {
  return `workspace:${workspaceId}:${epoch}`
}

/** Returns the topic on which one person's own changes are published. */
export function userTopic(profileId: Uuid): string {
  return `user:${profileId}`
}
