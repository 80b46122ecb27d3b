import type { Language } from './languages.ts'
import type { ActivityFilter, ActivityPage, Recount } from './activity.ts'
import type {
  AdministeredChannel,
  ChannelSort,
  ChannelStorage,
  PersonSort,
  PersonStorage,
  WorkspaceHealth,
} from './administration.ts'
import type { Bot, BotToken, IncomingWebhook, IncomingWebhookToken, OutgoingWebhook } from './bots.ts'
import type { AuditEntry } from './audit.ts'
import type { AvailableCommand, BotCommand } from './botCommands.ts'
import type { BookmarkList } from './bookmarks.ts'
import type { Channel, ChannelEntry, ReadStateResponse } from './channels.ts'
import type { WebChannelPage } from './webChannels.ts'
import type { CustomEmoji } from './emoji.ts'
import type { UserGroup } from './userGroups.ts'
import type { Attachment, FileList, ListFilesArgs, StorageUsage } from './files.ts'
import type { ClaimPreview, ImportedPerson, ImportSummary, UndoPreview } from './imports.ts'
import type { InvitationList, InvitationView } from './invitations.ts'
import type { Admission, JoinableWorkspaces, JoiningSettings } from './joining.ts'
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
  SentContent,
} from './messages.ts'
import type {
  AccountDeletion,
  AdministeredPerson,
  EndedMembership,
  EndedSession,
  Member,
  OwnSession,
  PersonDetails,
  Profile,
  UnreadWorkspace,
  Workspace,
  WorkspaceRole,
} from './people.ts'
import type { PushSubscriptionRow } from './push.ts'
import type { AdminTasks, Report, ReportOutcome, ReportState, Silence } from './moderation.ts'
import type { MessageNotification } from './notifications.ts'
import type { Retention, RetentionPreview, RetentionReceipt, RetentionScope } from './retention.ts'
import type { Timestamp, Uuid } from './scalars.ts'
import type { Bootstrap, Digests, Heartbeat } from './sync.ts'
import type { ThreadInboxPage, ThreadPage, ThreadReadResponse, ThreadState } from './threads.ts'

/**
 * The commands of Linnet's database with their responses. The SQL in `supabase/schemas` builds responses, rows and
 * events of this directory with `jsonb_build_object`. App, tests and the demo read them. Keys are in snake case, as
 * in the database.
 *
 * `seq` orders a channel's timeline from 1 without gaps, and `thread_seq` a thread's replies. `rev` counts every
 * change of a channel. `epoch` is part of the name of its topic, which ends when it rises. "Own" means: of the
 * caller.
 */

/**
 * The arguments and the response of each command, `POST /rest/v1/rpc/<name>`. Optional arguments have defaults in
 * SQL. Errors are `{code, message}`, where `message` is a `FailureName`.
 */
export interface Commands {
  /** `token` is the set-up token; makes the caller the owner. */
  found_workspace: {
    args: { token: string; workspace_name: string; channel_name: string; person_name: string }
    response: { workspace: Workspace; profile: Profile; channel_id: Uuid }
  }
  /**
   * Creates a further workspace, whose owner is the caller. For owners of a workspace, who may create ten. The client
   * creates `id`, so that a repeated request creates one workspace.
   */
  create_workspace: {
    args: { id: Uuid; name: string; channel_name: string }
    response: { workspace: Workspace; channel_id: Uuid }
  }
  /** Returns the unread counts of each workspace of the caller. */
  unread_workspaces: { args: Record<string, never>; response: { workspaces: UnreadWorkspace[] } }
  /** `stored`: the digests of the rows that the client has. Without them the response contains all rows. */
  bootstrap: { args: { workspace?: Uuid | null; stored?: Digests | null }; response: Bootstrap }
  heartbeat: {
    args: { workspace: Uuid; state: 'active' | 'away'; stored?: Digests | null }
    response: Heartbeat
  }
  /** Reports that the last page of a browser is closed: until the next heartbeat, no page counts as open. */
  close_page: { args: Record<never, never>; response: null }

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
      /** Of a guest: days from joining until their access ends, 1–365. */
      access_days?: number | null
      /** Of a guest: when they can first join, within a year; null: at once. The invitation expires `hours` later. */
      starts_at?: Timestamp | null
    }
    response: { id: Uuid; token: string; expires_at: Timestamp }
  }
  /**
   * Invites up to 100 addresses, each by its own mail. Replaces their unused invitations. `members` has the addresses of active
   * members, who are not invited; only owners and admins learn them.
   */
  invite_by_mail: {
    args: {
      workspace: Uuid
      emails: string[]
      role: 'admin' | 'member' | 'guest'
      channels: Uuid[]
      hours?: number
      access_days?: number | null
      starts_at?: Timestamp | null
    }
    response: { invited: number; members: string[] }
  }
  /** Replaces a mailed invitation by a new one of the caller, even if it has expired. */
  resend_invitation: { args: { id: Uuid }; response: { invited: number; members: string[] } }
  /** For any caller who sends the token, also without signing in. */
  view_invitation: { args: { token: string }; response: InvitationView }
  /**
   * Permits signing up with an address within an hour. `token` is the token of an invitation or the set-up token.
   * Clients do not send it to the auth service, which would store it with the account.
   */
  request_sign_up: { args: { token: string; email: string }; response: { expires_at: Timestamp } }
  accept_invitation: {
    args: { token: string; person_name: string }
    response: { workspace: Workspace; profile: Profile; channel_id: Uuid | null }
  }
  /**
   * Returns invitations that are neither revoked nor used up, newest first. Expired ones are returned only if they
   * were mailed. 50 by default, `limit` 1–100.
   */
  list_invitations: {
    args: { workspace: Uuid; before?: string | null; limit?: number }
    response: InvitationList
  }
  /**
   * Returns entries of the audit log, newest first, for owners and admins; 50 by default, `limit` 1–500. `from` is
   * the first moment, and `until` the moment after the last.
   */
  list_audit_log: {
    args: {
      workspace: Uuid
      actor?: Uuid | null
      action?: string | null
      from?: Timestamp | null
      until?: Timestamp | null
      before?: string | null
      limit?: number
    }
    response: { entries: AuditEntry[]; before: string | null }
  }
  /**
   * Reports a message. `with_context`: admins also see the three messages before it. Returns the caller's earlier
   * report if it is not closed.
   */
  report_message: {
    args: { id: Uuid; message: Uuid; note?: string; with_context?: boolean }
    response: { id: Uuid }
  }
  /** Hides the direct conversation. The person is not notified. */
  block_person: { args: { person: Uuid }; response: { person: Uuid; blocked: boolean } }
  unblock_person: { args: { person: Uuid }; response: { person: Uuid; blocked: boolean } }
  /** Milliseconds until the caller may send their next message to a channel with slow mode; 0: now. */
  slow_mode_wait: { args: { channel: Uuid }; response: { wait_ms: number } }
  /** Sets the interval in seconds, 0 (off) to 21,600. For people who manage the channel. */
  set_slow_mode: {
    args: { channel: Uuid; seconds: number }
    response: { channel_id: Uuid; slow_seconds: number }
  }
  set_guest_links: { args: { workspace: Uuid; allowed: boolean }; response: { guest_links: boolean } }
  /** For owners and admins, newest first; 20 by default, `limit` 1–50. */
  list_reports: {
    args: { workspace: Uuid; state?: ReportState; before?: string | null; limit?: number }
    response: { reports: Report[]; before: string | null }
  }
  /** For owners and admins. */
  admin_tasks: { args: { workspace: Uuid }; response: AdminTasks }
  take_report: { args: { report: Uuid }; response: Report }
  close_report: { args: { report: Uuid; outcome: ReportOutcome }; response: Report }
  /**
   * Removes a message, for owners and admins. They pass either a message in a channel that they can read, or a
   * report.
   */
  remove_message: {
    args: { reason: string; message?: Uuid; report?: Uuid }
    response: { removed: boolean }
  }
  /** Silences a person below the caller for 5 minutes to 30 days. For owners and admins. */
  silence_member: {
    args: { workspace: Uuid; person: Uuid; minutes: number; reason: string }
    response: Silence
  }
  end_silence: { args: { workspace: Uuid; person: Uuid }; response: { profile_id: Uuid } }
  revoke_invitation: { args: { id: Uuid }; response: { id: Uuid } }

  /**
   * Returns who may join without an invitation, the channels where newcomers start, and the open requests. For owners
   * and admins.
   */
  joining_settings: { args: { workspace: Uuid }; response: JoiningSettings }
  /** Adds a mail domain, at most 20; without `admission` it removes the domain. For owners and admins. */
  set_joining_domain: {
    args: { workspace: Uuid; domain: string; admission?: Admission | null }
    response: JoiningSettings
  }
  /** Changes the given options, for owners and admins. At most 20 public channels. */
  set_joining_options: {
    args: { workspace: Uuid; open_requests?: boolean; default_channels?: Uuid[] }
    response: JoiningSettings
  }
  /** For owners and admins. Of two different decisions the second fails with join_request_closed. */
  approve_join_request: { args: { id: Uuid }; response: { id: Uuid; state: 'approved' } }
  /** For owners and admins. The person can send a new request after 30 days. */
  decline_join_request: { args: { id: Uuid }; response: { id: Uuid; state: 'declined' } }
  /**
   * Returns the workspaces that the confirmed address of the account may join or request, at most 100. It leaves out
   * workspaces that the caller is in.
   */
  list_joinable_workspaces: { args: Record<never, never>; response: JoinableWorkspaces }
  /** `person_name` is needed without a profile. */
  join_workspace: {
    args: { workspace: Uuid; person_name?: string }
    response: { workspace: Workspace; profile: Profile; channel_id: Uuid | null }
  }
  /** Requests to join. A repeated request replaces the note. `person_name` is needed without a profile. */
  request_to_join: {
    args: { workspace: Uuid; note?: string; person_name?: string }
    response: { id: Uuid; state: 'waiting' }
  }
  withdraw_join_request: { args: { id: Uuid }; response: { id: Uuid } }

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
  /** Deletes a channel with everything in it. The caller may delete messages of others in it, and passes its name. */
  delete_channel: { args: { channel: Uuid; name: string }; response: { channel_id: Uuid } }
  /**
   * Lets anyone read future messages of a public channel on the web, or ends this. For owners and admins who are its
   * members. If the workspace allows it, also for the channel's admins. Owners and admins may end it in every
   * channel. `files` also shows the files of these messages. For a channel on the web, it shows the files of future
   * messages, or hides all files; null changes nothing.
   */
  publish_channel: {
    args: { channel: Uuid; on: boolean; history?: boolean; files?: boolean | null }
    response: ChannelEntry
  }
  /** Sets who may put channels on the web. For owners and admins. */
  set_web_channels: { args: { workspace: Uuid; by: 'admins' | 'channel_admins' }; response: Workspace }
  /**
   * Returns a page of a channel on the web, without signing in. By default it has the latest 30 messages, or the
   * first 30 replies to the message `thread`. `before` and `after` are numbers of messages or replies. Null for every
   * channel and thread that is not on the web.
   */
  web_channel_page: {
    args: { channel: Uuid; thread?: number; before?: number; after?: number }
    response: WebChannelPage | null
  }
  /**
   * Makes a member of the channel its admin, or an admin a member. In a channel without admins each full member may
   * name one.
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
  /**
   * Sets the icon, for owners and admins. The caller has uploaded the image to `<workspace>/<uuid>.webp` in the
   * bucket `avatars`; null: no icon.
   */
  set_workspace_icon: { args: { workspace: Uuid; icon?: string | null }; response: Workspace }
  /** Changes the given options, for owners and admins. */
  set_workspace_options: {
    args: {
      workspace: Uuid
      custom_emoji_by?: 'admins' | 'members'
      read_receipts?: 'off' | 'members' | 'everyone'
      link_previews?: boolean
      groups_by?: 'admins' | 'members'
      channels_by?: 'admins' | 'members'
      invitations_by?: 'admins' | 'members'
      mention_everyone_by?: 'admins' | 'members' | 'everyone'
      deletions_by?: 'authors' | 'admins' | 'channel_admins'
      edit_history_by?: 'authors' | 'admins' | 'members'
    }
    response: Workspace
  }
  /** For owners and admins, and members if the workspace allows it, as the next ones. At most 90 people. */
  create_group: {
    args: { id: Uuid; workspace: Uuid; name: string; description?: string; people?: Uuid[] }
    response: { group: UserGroup; workspace: Workspace }
  }
  /** Changes the given properties. */
  change_group: {
    args: { id: Uuid; name?: string; description?: string; is_archived?: boolean }
    response: { group: UserGroup; workspace: Workspace }
  }
  /** At most 90 people each. */
  change_group_members: {
    args: { id: Uuid; add?: Uuid[]; remove?: Uuid[] }
    response: { group: UserGroup; workspace: Workspace }
  }
  /** For owners, who enter the name: deletes the workspace with everything in it after the waiting period. */
  schedule_workspace_deletion: { args: { workspace: Uuid; name: string }; response: Workspace }
  /** Sets the language; null: each person's own. For owners and admins. */
  set_workspace_language: {
    args: { workspace: Uuid; language: Language | null }
    response: Workspace
  }
  cancel_workspace_deletion: { args: { workspace: Uuid }; response: Workspace }
  /**
   * Requires a second factor of everybody after this number of days; null: of nobody. For owners, whose own account must
   * have one.
   */
  set_second_factor_requirement: {
    args: { workspace: Uuid; days: 0 | 3 | 7 | 14 | 30 | null }
    response: Workspace
  }
  /** For owners who have authenticated recently: whether owners and admins do so before dangerous commands. */
  set_reauthentication: { args: { workspace: Uuid; on: boolean }; response: Workspace }
  /** Sets whether an export for owners contains private and direct conversations, for owners. */
  set_private_export: { args: { workspace: Uuid; allowed: boolean }; response: Workspace }
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
  /** Gives a person below the caller another role, or lowers the caller's own role. */
  set_member_role: { args: { workspace: Uuid; person: Uuid; role: WorkspaceRole }; response: Member }
  /** Makes an admin or member the owner, and the caller an admin. */
  transfer_ownership: { args: { workspace: Uuid; person: Uuid }; response: Member }
  /**
   * Sets the end of a guest's access (null: no end). Of the channels that the caller may read, the guest is then in
   * exactly `channels`.
   */
  set_guest_access: {
    args: { workspace: Uuid; person: Uuid; channels: Uuid[]; expires_at?: Timestamp | null }
    response: Member
  }
  /** Ends a membership until it is reactivated. The person's sessions lose all access with the transaction. */
  deactivate_member: { args: { workspace: Uuid; person: Uuid }; response: Member }
  /** `expires_at`: for guests. */
  reactivate_member: {
    args: { workspace: Uuid; person: Uuid; expires_at?: Timestamp | null }
    response: Member
  }
  /** Ends a membership and the memberships of its channels. The person can return by an invitation. */
  remove_person: { args: { workspace: Uuid; person: Uuid }; response: Member }
  /** Why a session ended, for the page that had it; null if nothing is known. Called without a token. */
  ended_session: { args: { session: Uuid }; response: EndedSession | null }
  /** The workspaces that the caller was in, the latest end first; at most 20. */
  my_ended_memberships: { args: Record<never, never>; response: EndedMembership[] }
  my_account_deletion: { args: Record<never, never>; response: AccountDeletion }
  /**
   * Lets the caller's account be deleted after the waiting period, and ends its sessions. `address`: as the person enters it. Fails
   * with other_address, and with last_owner for the only owner of a workspace.
   */
  request_account_deletion: {
    args: { address: string; deletes_messages: boolean }
    response: AccountDeletion
  }
  cancel_account_deletion: { args: Record<never, never>; response: AccountDeletion }
  /** Fails with last_owner for the only owner. */
  leave_workspace: { args: { workspace: Uuid }; response: { workspace_id: Uuid } }
  /** Returns at most 100 people, without bots. Absent filters find everybody. For owners and admins. */
  list_people: {
    args: {
      workspace: Uuid
      /** A part of the name, the address or the title. */
      query?: string
      roles?: WorkspaceRole[]
      states?: AdministeredPerson['state'][]
      second_factor?: boolean
      /** By default by name. */
      sort?: PersonSort
      /** The cursor of the page before, which was listed with the same sort. */
      after?: string | null
      limit?: number
    }
    response: { people: AdministeredPerson[]; total: number; after: string | null }
  }
  person_details: { args: { workspace: Uuid; person: Uuid }; response: PersonDetails }
  /** Ends all sessions of a person below the caller. The person can sign in again. */
  sign_out_person: { args: { workspace: Uuid; person: Uuid }; response: Member }
  /** Fails with account_in_use unless nobody has ever used the account, and with address_taken if another account has the address. */
  correct_address: { args: { workspace: Uuid; person: Uuid; email: string }; response: AdministeredPerson }
  /** Removes the personal data of a former member or deleted account. The messages stay. For owners. */
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
  /** Sets the bot's channels. The caller names channels that they may read, and the bot stays in other channels. */
  set_bot_channels: { args: { bot: Uuid; channels: Uuid[] }; response: Bot }
  /** Creates a token that is valid for `days`, 1–366. An earlier token becomes invalid. */
  create_bot_token: { args: { bot: Uuid; days: number }; response: BotToken }
  end_bot_token: { args: { bot: Uuid }; response: Bot }
  /** Deletes the bot with its tokens, webhooks and commands. Its messages stay. */
  end_bot: { args: { bot: Uuid }; response: { id: Uuid } }
  /** Ends the tokens, webhooks and commands of bots that a person below the caller has created. */
  end_integrations: { args: { workspace: Uuid; person: Uuid }; response: { profile_id: Uuid; ended: number } }
  /** Returns the active bots, at most 100. */
  list_bots: { args: { workspace: Uuid }; response: { bots: Bot[] } }
  /** For one of the bot's channels, which the caller can read; at most 20 for each bot. */
  create_incoming_webhook: { args: { bot: Uuid; channel: Uuid }; response: IncomingWebhookToken }
  /** Gives a webhook a new address. The former address stops working. */
  renew_incoming_webhook: { args: { webhook: Uuid }; response: IncomingWebhookToken }
  /** Sets what people choose at a webhook. */
  update_incoming_webhook: {
    args: { webhook: Uuid } & Pick<IncomingWebhook, 'name' | 'emoji' | 'notifies_everyone'>
    response: IncomingWebhook
  }
  delete_incoming_webhook: { args: { webhook: Uuid }; response: { id: Uuid } }
  /** Returns the bot's webhooks in channels that the caller can read. */
  list_webhooks: {
    args: { bot: Uuid }
    response: { incoming: IncomingWebhook[]; outgoing: OutgoingWebhook[] }
  }
  /** `words`: at most 10, of 50 characters. Only this response contains the secret, `whsec_…`. */
  create_outgoing_webhook: {
    args: { bot: Uuid; channel: Uuid; url: string; words?: string[] }
    response: { webhook: OutgoingWebhook; secret: string }
  }
  /** Enables a webhook that was disabled after failures. */
  enable_outgoing_webhook: { args: { webhook: Uuid }; response: OutgoingWebhook }
  /** Gives a webhook a new secret, which only this response contains, and enables it. */
  renew_outgoing_webhook: { args: { webhook: Uuid }; response: { webhook: OutgoingWebhook; secret: string } }
  /** Makes the caller responsible for a webhook that a former admin has created. Its address stays. */
  keep_outgoing_webhook: { args: { webhook: Uuid }; response: OutgoingWebhook }
  delete_outgoing_webhook: { args: { webhook: Uuid }; response: { id: Uuid } }
  /** At most 20 for each bot. Only the response to the first one contains the secret that signs requests, `whsec_…`. */
  create_bot_command: {
    args: { bot: Uuid; name: string; description: string; hint?: string; url?: string | null }
    response: { command: BotCommand; secret: string | null }
  }
  /** Makes the caller responsible for a command that a former admin has created. Its address stays. */
  keep_bot_command: { args: { command: Uuid }; response: BotCommand }
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
  delete_bot_command: { args: { command: Uuid }; response: { id: Uuid } }
  /** Creates the secret that signs the requests of all commands of the bot from now on. */
  renew_command_secret: { args: { bot: Uuid }; response: { secret: string } }
  list_bot_commands: { args: { bot: Uuid }; response: { commands: BotCommand[] } }

  /** The commands of bots that the caller can use in a channel or thread, by name; at most 200. */
  list_commands: {
    args: { channel: Uuid; thread_root?: Uuid | null }
    response: { commands: AvailableCommand[] }
  }
  /** The client creates `id`. `text`: the text after the name, at most 4,000 characters. */
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
  /** `known`: numbers and ids of at most 20 changes that the client has. The ids of a restored backup differ. */
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
  /** Marks reactions up to a time as seen. The time never moves back. */
  mark_activity_seen: { args: { workspace: Uuid; until: Timestamp }; response: null }
  my_notifications: { args: { channels: Uuid[]; revs: number[] }; response: MessageNotification[] }
  recount_unread: { args: { workspace: Uuid }; response: Recount }
  /** Returns the own states of these threads, at most 100. Threads that the caller may not read are left out. */
  thread_states: { args: { workspace: Uuid; roots: Uuid[] }; response: { threads: ThreadState[] } }

  send_message: {
    args: SentContent & {
      id: Uuid
      channel: Uuid
      extras?: MessageExtras | null
      /** Changes of the caller's draft that are sent: it is emptied unless it has changed since. At most 20. */
      drafts?: Uuid[] | null
      /** Whether the author knew that the channel is on the web: false fails where it is by now. */
      on_web?: boolean | null
    }
    response: { message: Message; epoch: number }
  }
  /**
   * Saves the draft of a channel or thread, or empties it. `id` identifies the change, and `base` the changes that it
   * replaces. `applied` is false if another device has changed the draft since then. A person has at most 100 drafts
   * with content.
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
  /** Schedules a message within a year, at most 100 for a person. `scheduled` null: the message was sent already. */
  schedule_message: {
    args: SentContent & {
      /** That of the message that will be sent. Its attachments stay until then. */
      id: Uuid
      channel: Uuid
      send_at: Timestamp
      quote?: Uuid | null
    }
    response: { scheduled: ScheduledMessage | null }
  }
  /**
   * Changes the properties that are not null. Another time also schedules a message again that could not be sent.
   * `kept_files`: its files that stay. `attachments`: files that are added after them, as in `schedule_message`. At
   * most ten files in all.
   */
  change_scheduled_message: {
    args: {
      id: Uuid
      body?: string | null
      send_at?: Timestamp | null
      kept_files?: Uuid[] | null
      attachments?: Omit<Attachment, 'size' | 'type'>[]
    }
    response: { scheduled: ScheduledMessage }
  }
  send_scheduled_message: { args: { id: Uuid }; response: { message: Message } }
  delete_scheduled_message: { args: { id: Uuid }; response: { id: Uuid } }
  /** Creates or changes a reminder within a year, at most 100 for a person in a workspace. */
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
  /** Completes a reminder. `reminder` null: the reminder is not repeated and was deleted. */
  complete_reminder: { args: { id: Uuid }; response: { reminder: Reminder | null } }
  delete_reminder: { args: { id: Uuid }; response: { id: Uuid } }
  /** Saves a message for later, at most 500. `state` null: no longer saved. */
  save_message: {
    args: { message: Uuid; state: SavedMessage['state'] | null }
    response: { saved: SavedMessage | null }
  }
  /**
   * Returns the first message at or after a time (null: the first of all). If there is none, it returns the last
   * message before the time.
   */
  message_at: {
    args: { channel: Uuid; since: Timestamp | null }
    response: { message: Pick<Message, 'id' | 'seq' | 'created_at'> | null }
  }
  /** Returns at most 50 messages. Messages that the caller may not read are left out. */
  messages_by_ids: { args: { ids: Uuid[] }; response: { messages: Message[] } }
  close_poll: { args: { message: Uuid }; response: { message: Message } }
  /** Removes a preview. For the author, and for people who manage the channel. */
  remove_link_preview: { args: { message: Uuid; preview: Uuid }; response: { message: Message } }
  preview_move: { args: { message: Uuid; channel: Uuid }; response: MovePreview }
  /**
   * Moves a message with its replies to another channel, where it becomes the message `id`. `accepted_readers`: the
   * number of new readers that the caller accepts. `moved` is the emptied message.
   */
  move_thread: {
    args: { id: Uuid; message: Uuid; channel: Uuid; accepted_readers?: number }
    response: { message: Message; moved: Message }
  }
  /** `edit` identifies the edit. A repeated edit changes nothing, even after a later one. */
  edit_message: { args: { id: Uuid; body: string; edit?: Uuid | null }; response: { message: Message } }
  delete_message: { args: { id: Uuid }; response: { message: Message } }
  react: { args: { message: Uuid; emoji: string; on: boolean }; response: { message: Message } }
  pin_message: { args: { message: Uuid; on: boolean }; response: { message: Message } }
  typing: { args: { channel: Uuid; thread_root?: Uuid | null }; response: null }

  /** Moves the read marker forward if its version is still `read_version`. */
  mark_read: { args: { channel: Uuid; seq: number; read_version: number }; response: ReadStateResponse }
  /** Moves the read marker back, so that messages from `seq` on are unread. No other command moves it back. */
  mark_unread: { args: { channel: Uuid; seq: number }; response: ReadStateResponse }
  /** Moves the read marker of a thread forward, without following the thread. */
  mark_thread_read: {
    args: { root: Uuid; thread_seq: number; read_version: number }
    response: ThreadReadResponse
  }
  /** Marks replies from `thread_seq` on as unread. The caller then follows the thread. */
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
  /** Returns files of messages that the caller can read, newest first; 50 by default, `limit` 1–100. */
  list_files: { args: ListFilesArgs; response: FileList }
  /** For owners and admins. */
  storage_usage: { args: { workspace: Uuid }; response: StorageUsage }
  /** Sets quotas in bytes, 1 MB to 1 PB each. Stored files are not removed. For owners. */
  set_storage_quotas: {
    args: { workspace: Uuid; max_bytes: number; max_bytes_per_person: number }
    response: StorageUsage
  }
  /** For owners and admins. */
  retention: { args: { workspace: Uuid }; response: Retention }
  preview_retention: {
    args: { workspace: Uuid; scope: RetentionScope; keep_days: number; channel?: Uuid | null }
    response: RetentionPreview
  }
  /**
   * Sets a rule of retention, for owners. A channel with `default` has the rule of all channels. A rule that deletes
   * earlier than before waits for seven days.
   */
  set_retention: {
    args: {
      workspace: Uuid
      scope: RetentionScope
      keep: 'default' | 'forever' | 'days'
      keep_days?: number | null
      channel?: Uuid | null
    }
    response: Retention
  }
  /**
   * Returns public channels and own private ones; 50 by default, `limit` 1–100. For owners and admins, as the next
   * commands.
   */
  list_channels: {
    args: {
      workspace: Uuid
      /** A part of the name or of the topic. */
      query?: string
      kinds?: AdministeredChannel['kind'][]
      archived?: boolean
      sort?: ChannelSort
      after?: Uuid | null
      limit?: number
    }
    response: { channels: AdministeredChannel[]; total: number; after: Uuid | null }
  }
  /** Changes 1–100 channels of that list, all or none. The caller need not be a member of public ones. */
  archive_channels: {
    args: { workspace: Uuid; channels: Uuid[]; on: boolean }
    response: { changed: number; channels: AdministeredChannel[] }
  }
  /** Returns people in descending order of bytes; 50 by default, `limit` 1–100. */
  list_person_storage: {
    args: { workspace: Uuid; after?: Uuid | null; limit?: number }
    response: { people: PersonStorage[]; after: Uuid | null }
  }
  /**
   * Returns channels in descending order of bytes. `other_bytes`: the bytes of all conversations that are on no page
   * of the list.
   */
  list_channel_storage: {
    args: { workspace: Uuid; after?: Uuid | null; limit?: number }
    response: { channels: ChannelStorage[]; other_bytes: number; after: Uuid | null }
  }
  workspace_health: { args: { workspace: Uuid }; response: WorkspaceHealth }
  /** Returns the imports of other products, newest first, at most 1,000. For owners and admins. */
  list_imports: { args: { workspace: Uuid }; response: { imports: ImportSummary[] } }
  /** Null before the end of the import. For owners, as the next ones. */
  import_receipt: { args: { import: Uuid }; response: { receipt: object | null } }
  preview_undo: { args: { import: Uuid }; response: UndoPreview }
  /**
   * Deletes what an import has created, within 30 days. Fails with `conflict` if people have written more than
   * `accepted_messages` in its channels since, or while an import is running.
   */
  undo_import: { args: { import: Uuid; accepted_messages?: number }; response: ImportSummary }
  /**
   * Returns imported people whom no member has claimed, by a part of their name or mail address; 50 by default, `limit` 1–100.
   * `suggested`, on the first page: people whose address a member has confirmed. For owners and admins.
   */
  list_imported_people: {
    args: { workspace: Uuid; query?: string | null; after?: Uuid | null; limit?: number }
    response: { people: ImportedPerson[]; suggested: ImportedPerson[]; after: Uuid | null }
  }
  /** For owners, as the next one. */
  preview_claim: { args: { imported: Uuid; member: Uuid }; response: ClaimPreview }
  /** Gives the messages and memberships of an imported person to a member. A job changes the messages. */
  claim_imported_person: { args: { imported: Uuid; member: Uuid }; response: ImportedPerson }
  /** Confirms that the original of a restored copy is gone. For owners of the first workspace. */
  confirm_restore: { args: { workspace: Uuid }; response: { paused: boolean } }
  request_server_checks: { args: { workspace: Uuid }; response: Record<string, never> }
  /** Refuses callers who may not change the settings of the server. For owners of the first workspace. */
  check_moving: {
    args: { workspace: Uuid; starts?: 'export' | 'download' | 'import' | null }
    response: { profile_id: Uuid; stored_bytes: number }
  }
  check_server_owner: { args: { workspace: Uuid; changes?: boolean }; response: { profile_id: Uuid } }

  /** Returns receipts after the number `after`; 100 by default, `limit` 1–1,000. For owners and admins. */
  list_retention_receipts: {
    args: { workspace: Uuid; after?: number; limit?: number }
    response: { receipts: RetentionReceipt[]; after: number | null }
  }
  /**
   * Returns who can read a message. `members`: the people who are members of the channel. The others read it because
   * it is public.
   */
  who_can_read: {
    args: { message: Uuid }
    response: { people: Uuid[]; members: Uuid[]; everyone: boolean }
  }

  /**
   * Returns who has read up to a message, without its author; at most 500. Fails unless the workspace has enabled it.
   */
  seen_by: { args: { message: Uuid }; response: { people: Uuid[] } }

  /**
   * Adds a link (`title` and `url`), or a file that the caller may read (`upload`). For people who may post, except
   * guests.
   */
  add_bookmark: {
    args: { id: Uuid; channel: Uuid; title?: string | null; url?: string | null; upload?: Uuid | null }
    response: BookmarkList
  }
  change_bookmark: { args: { id: Uuid; title: string; url: string }; response: BookmarkList }
  /** Moves a bookmark. `position`: the number of bookmarks before it. */
  move_bookmark: { args: { id: Uuid; position: number }; response: BookmarkList }
  delete_bookmark: { args: { id: Uuid }; response: BookmarkList }

  /** Returns the caller's sessions, at most 100: first the session of this request, then by last use, descending. */
  my_sessions: { args: Record<never, never>; response: OwnSession[] }
  /** Signs a session out. Its tokens are refused at once, and its sockets end within 2 s. */
  end_session: { args: { id: Uuid }; response: { id: Uuid } }
  /** Returns how many recovery codes the caller's account has left. `created_at` is null if it has none. */
  my_recovery_codes: {
    args: Record<never, never>
    response: { remaining: number; created_at: Timestamp | null }
  }
  /** Replaces the recovery codes by ten new ones, which are returned only here. The account needs a second factor. */
  create_recovery_codes: { args: Record<never, never>; response: { codes: string[] } }
  /**
   * Removes all second factors of the account, and ends its other sessions. The session need not have verified a factor. A
   * wrong code is not accepted and changes nothing.
   */
  use_recovery_code: { args: { code: string }; response: { accepted: boolean } }
  /**
   * Creates a code that signs another device in after `approve_device`. It is valid for two minutes, and an account
   * has one.
   */
  create_sign_in_code: {
    args: Record<never, never>
    response: { id: Uuid; code: string; expires_at: Timestamp }
  }
  /**
   * Returns the user agent of the device that has used a code, and the number that it displays; null: no device has
   * used it yet.
   */
  view_sign_in_code: { args: { id: Uuid }; response: { number: number | null; device: string | null } }
  /** Approves the device. `number` is the number that both devices display. */
  approve_device: { args: { id: Uuid; number: number }; response: { id: Uuid } }
  refuse_device: { args: { id: Uuid }; response: { id: Uuid } }
  /**
   * Notifies this browser until its session ends. `endpoint` and the keys (base64url) come from its
   * `PushSubscription`. `device` is cut at 300 characters. At most 10 for each person: the one used least recently
   * ends. Without `hides_content` it stays as it is.
   */
  add_push_subscription: {
    args: {
      id: Uuid
      endpoint: string
      p256dh: string
      auth: string
      device: string
      language: string
      hides_content?: boolean
    }
    response: PushSubscriptionRow
  }
  remove_push_subscription: { args: { id: Uuid }; response: { id: Uuid } }
  /** The newest first. */
  my_push_subscriptions: { args: Record<never, never>; response: PushSubscriptionRow[] }
  /** Sends a notification to one of the caller's devices. */
  test_push: { args: { id: Uuid }; response: { id: Uuid } }
}

export type CommandName = keyof Commands
