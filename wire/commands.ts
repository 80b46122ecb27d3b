import type { ActivityFilter, ActivityPage, Recount } from './activity.ts'
import type { Bot, BotToken, IncomingWebhook, IncomingWebhookToken, OutgoingWebhook } from './bots.ts'
import type { AvailableCommand, BotCommand } from './botCommands.ts'
import type { BookmarkList } from './bookmarks.ts'
import type { Channel, ChannelEntry, ReadStateResponse } from './channels.ts'
import type { CustomEmoji } from './emoji.ts'
import type { Attachment, FileList, ListFilesArgs, StorageUsage } from './files.ts'
import type { InvitationList, InvitationView } from './invitations.ts'
import type {
  ChannelChanges,
  ChannelPage,
  Draft,
  KnownChange,
  Message,
  MessageExtras,
  MovePreview,
  Reminder,
  ReminderRepeat,
  SavedMessage,
  ScheduledMessage,
  SearchFilters,
  SearchResponse,
} from './messages.ts'
import type { Member, OwnSession, Profile, Workspace } from './people.ts'
import type { PushSubscriptionRow } from './push.ts'
import type { MessageNotification } from './notifications.ts'
import type { Timestamp, Uuid } from './scalars.ts'
import type { Bootstrap, Digests, Heartbeat } from './sync.ts'
import type { ThreadInboxPage, ThreadPage, ThreadReadResponse, ThreadState } from './threads.ts'

/**
 * The commands of Linnet's database with their responses. The SQL in `supabase/migrations` builds the responses with
 * `jsonb_build_object`, as it does the rows and events of this directory; app, tests and the demo read them. Keys are
 * those of the database (snake case).
 *
 * Numbers: `seq` orders a channel's timeline from 1 without gaps, `thread_seq` a thread's replies; `rev` counts every
 * change of a channel; `epoch` is part of the name of its topic and rises when someone loses access. "Own" means: of
 * the caller.
 */

/**
 * The commands: arguments and response of `POST /rest/v1/rpc/<name>`. Optional arguments have defaults in SQL.
 * Errors are `{code, message}`, where `message` is a `FailureName`.
 */
export interface Commands {
  /** `token` is the set-up token; makes the caller the owner. */
  found_workspace: {
    args: { token: string; workspace_name: string; channel_name: string; person_name: string }
    response: { workspace: Workspace; profile: Profile; channel_id: Uuid }
  }
  /** `stored`: the digests of the rows that the client has; without them the response contains everything. */
  bootstrap: { args: { workspace?: Uuid | null; stored?: Digests | null }; response: Bootstrap }
  heartbeat: {
    args: { workspace: Uuid; state: 'active' | 'away'; stored?: Digests | null }
    response: Heartbeat
  }

  /**
   * Only the response contains the token; the table stores its hash. `email` null: a link that several people may use.
   * At most 100 channels.
   */
  create_invitation: {
    args: {
      workspace: Uuid
      role: 'admin' | 'member' | 'guest'
      channels: Uuid[]
      email?: string | null
      max_uses?: number
      /** Hours until it expires, 1–720. */
      hours?: number
    }
    response: { id: Uuid; token: string; expires_at: Timestamp }
  }
  /** For any caller who sends the token, also without signing in. */
  view_invitation: { args: { token: string }; response: InvitationView }
  /**
   * Permits signing up with an address within an hour. `token` is an invitation's, or the set-up token. It is not sent
   * to the auth service, which would store it with the account.
   */
  request_sign_up: { args: { token: string; email: string }; response: { expires_at: Timestamp } }
  accept_invitation: {
    args: { token: string; person_name: string }
    response: { workspace: Workspace; profile: Profile; channel_id: Uuid | null }
  }
  /** Invitations that are neither revoked, expired nor used up, newest first; 50 by default, `limit` 1–100. */
  list_invitations: {
    args: { workspace: Uuid; before?: string | null; limit?: number }
    response: InvitationList
  }
  revoke_invitation: { args: { id: Uuid }; response: { id: Uuid } }

  create_channel: {
    /** The client creates `id`, so that a repeated request creates one channel. */
    args: {
      id: Uuid
      workspace: Uuid
      kind: 'public' | 'private'
      name: string
      topic?: string
      description?: string
      posting?: 'everyone' | 'admins'
    }
    response: ChannelEntry
  }
  update_channel: {
    args: {
      channel: Uuid
      name?: string | null
      topic?: string | null
      description?: string | null
      posting?: 'everyone' | 'admins' | null
      /** Public → private: non-members lose access at once. Private → public: all full members gain it. */
      kind?: 'public' | 'private' | null
    }
    response: ChannelEntry
  }
  /** Makes a channel read-only, or ends this. */
  archive_channel: { args: { channel: Uuid; on: boolean }; response: ChannelEntry }
  /**
   * Makes a member of the channel an admin of it, or a member again. In a channel without admins each full member of it
   * may name one.
   */
  set_channel_role: {
    args: { channel: Uuid; person: Uuid; role: 'admin' | 'member' }
    response: { channel_id: Uuid; person: Uuid; role: 'admin' | 'member' }
  }
  /** Returns the conversation of exactly these people and the caller; creates it if there is none. */
  open_direct: { args: { workspace: Uuid; people: Uuid[] }; response: ChannelEntry }
  /** At most 2,000: the caller's first, then the most recently active. */
  browse_channels: {
    args: { workspace: Uuid }
    response: {
      channels: {
        channel: Channel
        members: number
        member: boolean
        /** Null before the first message. */
        last_message_at: Timestamp | null
      }[]
    }
  }
  channel_people: {
    args: { channel: Uuid }
    response: { people: { profile_id: Uuid; role: 'admin' | 'member' }[] }
  }
  join_channel: { args: { channel: Uuid }; response: ChannelEntry }
  leave_channel: { args: { channel: Uuid }; response: { channel_id: Uuid } }
  add_members: { args: { channel: Uuid; people: Uuid[] }; response: { channel_id: Uuid; people: Uuid[] } }
  remove_member: { args: { channel: Uuid; person: Uuid }; response: { channel_id: Uuid; person: Uuid } }
  /** For owners and admins; 1–80 characters. */
  rename_workspace: { args: { workspace: Uuid; name: string }; response: Workspace }
  /** For owners and admins; what is absent stays as it is. */
  set_workspace_options: {
    args: {
      workspace: Uuid
      custom_emoji_by?: 'admins' | 'members'
      read_receipts?: 'off' | 'members' | 'everyone'
      link_previews?: boolean
    }
    response: Workspace
  }
  /** The caller has uploaded the image to `<workspace>/<id>` in the bucket `avatars`. */
  add_emoji: {
    args: { id: Uuid; workspace: Uuid; name: string; aliases?: string[] }
    response: { emoji: CustomEmoji; workspace: Workspace }
  }
  /** For the author, owners and admins. A previous name remains as an alias. */
  change_emoji: {
    args: { id: Uuid; name: string; aliases: string[] }
    response: { emoji: CustomEmoji; workspace: Workspace }
  }
  delete_emoji: { args: { id: Uuid }; response: { id: Uuid; workspace: Workspace } }
  /** Ends a membership of the workspace: the person's sessions lose all access with the transaction. */
  deactivate_member: { args: { workspace: Uuid; person: Uuid }; response: Member }
  /** Removes the name of a former member or deleted account; the messages stay. For owners. */
  erase_person: { args: { workspace: Uuid; person: Uuid }; response: Member }

  /**
   * The client creates `id`, the bot's profile. The bot reads and writes in these channels only; at most 100. For owners
   * and admins, as the next ones.
   */
  create_bot: {
    args: { id: Uuid; workspace: Uuid; name: string; channels: Uuid[]; description?: string }
    response: Bot
  }
  update_bot: {
    args: { bot: Uuid; name?: string | null; description?: string | null; responsible?: Uuid | null }
    response: Bot
  }
  /** Of the channels that the caller may read; the bot stays in others. */
  set_bot_channels: { args: { bot: Uuid; channels: Uuid[] }; response: Bot }
  /** `days` 1–366. Ends an earlier token. */
  create_bot_token: { args: { bot: Uuid; days: number }; response: BotToken }
  end_bot_token: { args: { bot: Uuid }; response: Bot }
  /** Ends the bot with everything that belongs to it; its messages stay. */
  end_bot: { args: { bot: Uuid }; response: { id: Uuid } }
  /** Those that have not ended, 100 at most. */
  list_bots: { args: { workspace: Uuid }; response: { bots: Bot[] } }
  /** For one of the bot's channels, which the caller can read; at most 20 for each bot. */
  create_incoming_webhook: { args: { bot: Uuid; channel: Uuid }; response: IncomingWebhookToken }
  /** Its former address stops working. */
  renew_incoming_webhook: { args: { webhook: Uuid }; response: IncomingWebhookToken }
  end_incoming_webhook: { args: { webhook: Uuid }; response: { id: Uuid } }
  /** Those in channels that the caller can read. */
  list_webhooks: {
    args: { bot: Uuid }
    response: { incoming: IncomingWebhook[]; outgoing: OutgoingWebhook[] }
  }
  /** `words`: at most 10, of 50 characters. Only this response contains the secret, `whsec_…`. */
  create_outgoing_webhook: {
    args: { bot: Uuid; channel: Uuid; url: string; words?: string[] }
    response: { webhook: OutgoingWebhook; secret: string }
  }
  /** Enables one that was disabled after failures. */
  enable_outgoing_webhook: { args: { webhook: Uuid }; response: OutgoingWebhook }
  end_outgoing_webhook: { args: { webhook: Uuid }; response: { id: Uuid } }
  /** At most 20 for each bot. Only the response to the first one contains the secret that signs requests, `whsec_…`. */
  create_bot_command: {
    args: { bot: Uuid; name: string; description: string; hint?: string; url?: string | null }
    response: { command: BotCommand; secret: string | null }
  }
  /** Changes all properties. */
  update_bot_command: {
    args: {
      command: Uuid
      name: string
      description: string
      hint?: string
      url?: string | null
      enabled?: boolean
    }
    response: BotCommand
  }
  end_bot_command: { args: { command: Uuid }; response: { id: Uuid } }
  /** Signs the requests of all commands of the bot from now on. */
  renew_command_secret: { args: { bot: Uuid }; response: { secret: string } }
  list_bot_commands: { args: { bot: Uuid }; response: { commands: BotCommand[] } }

  /** The commands of bots that the caller can use in a channel or thread, by name; at most 200. */
  list_commands: {
    args: { channel: Uuid; thread_root?: Uuid | null }
    response: { commands: AvailableCommand[] }
  }
  /** The client creates `id`. `text`: what follows the name, at most 4,000 characters. */
  invoke_command: {
    args: { id: Uuid; channel: Uuid; name: string; text?: string; thread_root?: Uuid | null }
    response: { id: Uuid }
  }
  /** Removes a response to an own command. */
  dismiss_response: { args: { response: Uuid }; response: { id: Uuid } }

  channel_page: {
    /** One of `before`, `after`, `around` (a seq), or none for the newest. `limit` 1–100, 50 by default. */
    args: {
      channel: Uuid
      before?: number | null
      after?: number | null
      around?: number | null
      limit?: number
    }
    response: ChannelPage
  }
  /** `known`: numbers and ids of changes that the client has, at most 20: those of a restored backup differ. */
  channel_changes: {
    args: { channel: Uuid; after_rev: number; known?: readonly KnownChange[] | null }
    response: ChannelChanges
  }
  thread_page: {
    /** One of `before`, `after`, `around` (a thread_seq), or none for the newest. */
    args: {
      root: Uuid
      before?: number | null
      after?: number | null
      around?: number | null
      limit?: number
    }
    response: ThreadPage
  }
  thread_inbox: {
    args: { workspace: Uuid; unread_only?: boolean; before?: string | null; limit?: number }
    response: ThreadInboxPage
  }
  /** `limit` 1–50, 20 by default. */
  activity: {
    args: { workspace: Uuid; filter?: ActivityFilter; before?: string | null; limit?: number }
    response: ActivityPage
  }
  my_notifications: { args: { channels: Uuid[]; revs: number[] }; response: MessageNotification[] }
  recount_unread: { args: { workspace: Uuid }; response: Recount }
  /** Own states of these threads, at most 100, without those that the caller may not read. */
  thread_states: { args: { workspace: Uuid; roots: Uuid[] }; response: { threads: ThreadState[] } }

  send_message: {
    args: {
      id: Uuid
      channel: Uuid
      body: string
      thread_root?: Uuid | null
      also_to_channel?: boolean
      attachments?: Omit<Attachment, 'size' | 'type'>[]
      extras?: MessageExtras | null
      /** Changes of the caller's draft that are sent: it is emptied unless it has changed since. At most 20. */
      drafts?: Uuid[] | null
    }
    response: { message: Message; epoch: number }
  }
  /**
   * Saves the draft of a channel or thread, or empties it. `id` identifies the change, `base` those that it replaces:
   * `applied` is false if another device has changed the draft since. At most 100 with content.
   */
  save_draft: {
    args: {
      id: Uuid
      channel: Uuid
      body: string
      thread_root?: Uuid | null
      quote?: Uuid | null
      base?: Uuid[] | null
    }
    response: { applied: boolean; draft: Draft | null }
  }
  /** At most 100 of a person, within a year. `scheduled` null: sent already. */
  schedule_message: {
    args: {
      /** That of the message that will be sent. */
      id: Uuid
      channel: Uuid
      body: string
      send_at: Timestamp
      thread_root?: Uuid | null
      also_to_channel?: boolean
      quote?: Uuid | null
    }
    response: { scheduled: ScheduledMessage | null }
  }
  /** What is null or absent stays. Another time also schedules one again that could not be sent. */
  change_scheduled_message: {
    args: { id: Uuid; body?: string | null; send_at?: Timestamp | null }
    response: { scheduled: ScheduledMessage }
  }
  send_scheduled_message: { args: { id: Uuid }; response: { message: Message } }
  delete_scheduled_message: { args: { id: Uuid }; response: { id: Uuid } }
  /** Creates or changes one; at most 100 of a person in a workspace, within a year. */
  set_reminder: {
    args: {
      id: Uuid
      workspace: Uuid
      due_at: Timestamp
      time_zone: string
      text?: string
      message?: Uuid | null
      repeats?: ReminderRepeat | null
    }
    response: { reminder: Reminder }
  }
  /** `reminder` null: it is not repeated, and deleted. */
  complete_reminder: { args: { id: Uuid }; response: { reminder: Reminder | null } }
  delete_reminder: { args: { id: Uuid }; response: { id: Uuid } }
  /** `state` null: no longer saved. At most 500. */
  save_message: {
    args: { message: Uuid; state: SavedMessage['state'] | null }
    response: { saved: SavedMessage | null }
  }
  /** The first message at or after a time (null: of all), else the last one before it; null without any. */
  message_at: {
    args: { channel: Uuid; since: Timestamp | null }
    response: { message: Pick<Message, 'id' | 'seq' | 'created_at'> | null }
  }
  /** At most 50; those that the caller may not read are left out. */
  messages_by_ids: { args: { ids: Uuid[] }; response: { messages: Message[] } }
  close_poll: { args: { message: Uuid }; response: { message: Message } }
  /** For the author, and for those who manage the channel. */
  remove_link_preview: { args: { message: Uuid; preview: Uuid }; response: { message: Message } }
  preview_move: { args: { message: Uuid; channel: Uuid }; response: MovePreview }
  /**
   * Moves a message with its replies to another channel, where it becomes the message `id`. `accepted_readers`: how many
   * people may newly read it. `moved` is the emptied message.
   */
  move_thread: {
    args: { id: Uuid; message: Uuid; channel: Uuid; accepted_readers?: number }
    response: { message: Message; moved: Message }
  }
  /** `edit` identifies the edit: repeating it, even after a later one, changes nothing. */
  edit_message: { args: { id: Uuid; body: string; edit?: Uuid | null }; response: { message: Message } }
  delete_message: { args: { id: Uuid }; response: { message: Message } }
  react: { args: { message: Uuid; emoji: string; on: boolean }; response: { message: Message } }
  pin_message: { args: { message: Uuid; on: boolean }; response: { message: Message } }
  typing: { args: { channel: Uuid; thread_root?: Uuid | null }; response: null }

  /** Moves the read marker forward if its version still is `read_version`. */
  mark_read: { args: { channel: Uuid; seq: number; read_version: number }; response: ReadStateResponse }
  /** Moves the read marker back, which no other command does: messages from `seq` on are unread. */
  mark_unread: { args: { channel: Uuid; seq: number }; response: ReadStateResponse }
  /** The same for a thread, without following it. */
  mark_thread_read: {
    args: { root: Uuid; thread_seq: number; read_version: number }
    response: ThreadReadResponse
  }
  /** Replies from `thread_seq` on are unread, and the caller follows the thread. */
  mark_thread_unread: { args: { root: Uuid; thread_seq: number }; response: ThreadReadResponse }
  follow_thread: { args: { root: Uuid; on: boolean }; response: ThreadReadResponse }

  /**
   * `query`: words, "phrases" and -excluded words, 500 characters; it may be empty beside a filter. `limit` 1–50, 20 by
   * default. Fails with `bad_filter`, with the key of the filter as `details`.
   */
  search_messages: {
    args: {
      workspace: Uuid
      query: string
      filters?: SearchFilters | null
      before?: string | null
      limit?: number
    }
    response: SearchResponse
  }
  /** Files of messages that the caller can read, newest first; 50 by default, `limit` 1–100. */
  list_files: { args: ListFilesArgs; response: FileList }
  /** For owners and admins. */
  storage_usage: { args: { workspace: Uuid }; response: StorageUsage }
  /** For owners; bytes, 1 MB to 1 PB each. Files that are stored already are not removed. */
  set_storage_quotas: {
    args: { workspace: Uuid; max_bytes: number; max_bytes_per_person: number }
    response: StorageUsage
  }
  /** `members`: those of `people` who are members of the channel; the others read it because it is public. */
  who_can_read: {
    args: { message: Uuid }
    response: { people: Uuid[]; members: Uuid[]; everyone: boolean }
  }

  /** Who has read up to a message, without its author; at most 500. Fails unless the workspace has switched it on. */
  seen_by: { args: { message: Uuid }; response: { people: Uuid[] } }

  /** A link (`title` and `url`), or a file that the caller may read (`upload`). For those who may post, without guests. */
  add_bookmark: {
    args: { id: Uuid; channel: Uuid; title?: string | null; url?: string | null; upload?: Uuid | null }
    response: BookmarkList
  }
  change_bookmark: { args: { id: Uuid; title: string; url: string }; response: BookmarkList }
  /** `place`: how many others precede it. */
  move_bookmark: { args: { id: Uuid; place: number }; response: BookmarkList }
  delete_bookmark: { args: { id: Uuid }; response: BookmarkList }

  /** The session of this request first, then by last use, descending; at most 100. */
  my_sessions: { args: Record<never, never>; response: OwnSession[] }
  /** Signs this session out: its tokens are refused at once, its sockets end within 2 s. */
  end_session: { args: { id: Uuid }; response: { id: Uuid } }
  /**
   * Notifies this browser until its session ends. `endpoint` and the keys (base64url) are those of its `PushSubscription`.
   * `device` is cut at 300 characters. At most 10 for each person: the one used least recently ends.
   */
  add_push_subscription: {
    args: { id: Uuid; endpoint: string; p256dh: string; auth: string; device: string; language: string }
    response: PushSubscriptionRow
  }
  remove_push_subscription: { args: { id: Uuid }; response: { id: Uuid } }
  /** The newest first. */
  my_push_subscriptions: { args: Record<never, never>; response: PushSubscriptionRow[] }
  /** Sends a notification to one of the caller's devices. */
  test_push: { args: { id: Uuid }; response: { id: Uuid } }
}

export type CommandName = keyof Commands
