import type { Pool } from '../../../backend/postgres/connections/pool.ts'
import type { CommandResponse } from '../../../wire/botCommands.ts'
import type {
  Draft,
  Message,
  SavedMessage,
  Reminder,
  SavedSearch,
  ScheduledMessage,
} from '../../../wire/messages.ts'
import type { Attachment } from '../../../wire/files.ts'
import type { ChannelCounters, ChannelKind } from '../../../wire/channels.ts'
import type { WorkspaceRole } from '../../../wire/people.ts'
import type { Timestamp, Uuid } from '../../../wire/scalars.ts'

/** A row of `messages`: the columns that clients receive. */
export type MessageRow = Omit<Message, 'pinned_at' | 'attachments' | 'reactions'>

export interface ChannelRow {
  id: Uuid
  workspace_id: Uuid
  kind: ChannelKind
  name: string | null
  topic: string
  posting: 'everyone' | 'admins'
  archived_at: Timestamp | null
  first_seq: number
  web_since: Timestamp | null
  slow_seconds: number
  created_by: Uuid | null
  created_at: Timestamp
  [column: string]: unknown
}

interface ProfileRow {
  id: Uuid
  user_id: Uuid | null
  kind: 'person' | 'bot' | 'imported'
  name: string
  [column: string]: unknown
}

interface ChannelMemberStateRow {
  channel_id: Uuid
  profile_id: Uuid
  last_read_seq: number
  read_version: number
  notify: 'default' | 'all' | 'mentions' | 'nothing'
  muted: boolean
  starred: boolean
  hidden: boolean
  [column: string]: unknown
}

interface WorkspaceMemberRow {
  profile_id: Uuid
  role: WorkspaceRole
  state: 'active' | 'deactivated'
  created_at: Timestamp
  number: number
}

/** All rows of the tables, read without any command: what everything else is compared with. */
export interface Tables {
  profiles: ProfileRow[]
  workspaces: { id: Uuid; name: string }[]
  workspace_members: WorkspaceMemberRow[]
  channels: ChannelRow[]
  channel_counters: ({ channel_id: Uuid } & ChannelCounters)[]
  channel_members: {
    channel_id: Uuid
    profile_id: Uuid
    role: 'admin' | 'member'
    history_from_seq: number
  }[]
  channel_member_state: ChannelMemberStateRow[]
  messages: MessageRow[]
  reactions: { message_id: Uuid; emoji: string; profile_id: Uuid; position: number }[]
  pins: { message_id: Uuid; pinned_at: Timestamp }[]
  mentions: {
    message_id: Uuid
    kind: 'person' | 'channel' | 'here' | 'group'
    profile_id: Uuid | null
    group_id: Uuid | null
  }[]
  user_group_members: { group_id: Uuid; profile_id: Uuid }[]
  thread_members: ThreadMemberRow[]
  sections: SectionRow[]
  drafts: (Omit<Draft, 'quote'> & { profile_id: Uuid; quote_id: Uuid | null })[]
  command_responses: (CommandResponse & { profile_id: Uuid; invocation_id: Uuid })[]
  reminders: (Reminder & { profile_id: Uuid; workspace_id: Uuid; starts_at: string; job_id: Uuid | null })[]
  scheduled_messages: (Omit<ScheduledMessage, 'quote' | 'files'> & {
    files: Attachment[]
    profile_id: Uuid
    quote_id: Uuid | null
    job_id: Uuid | null
    on_web: boolean
  })[]
  saved_searches: (SavedSearch & { profile_id: Uuid; workspace_id: Uuid })[]
  saved_messages: (Omit<SavedMessage, 'id'> & { profile_id: Uuid; message_id: Uuid })[]
}

interface ThreadMemberRow {
  root_id: Uuid
  profile_id: Uuid
  follows: boolean
  last_read_thread_seq: number
  read_version: number
}

interface SectionRow {
  id: Uuid
  profile_id: Uuid
  name: string
  position: number
  collapsed: boolean
  rev: number
}

const TABLES = [
  'profiles',
  'workspaces',
  'workspace_members',
  'channels',
  'channel_counters',
  'channel_members',
  'channel_member_state',
  'messages',
  'reactions',
  'pins',
  'mentions',
  'user_group_members',
  'thread_members',
  'sections',
  'drafts',
  'saved_messages',
  'command_responses',
  'saved_searches',
  'scheduled_messages',
  'reminders',
] as const satisfies readonly (keyof Tables)[]

/** Reads everything in one statement, so that it is consistent. */
export async function readTables(admin: Pool): Promise<Tables> {
  const { rows } = await admin.query({
    name: 'tables',
    // `broadcast_at` is internal: no command returns it.
    text: `select jsonb_build_object(${TABLES.map(
      (table) =>
        `'${table}', coalesce((select jsonb_agg(to_jsonb(t) - 'broadcast_at') from public.${table} t), '[]')`,
    ).join(', ')}) as tables`,
  })
  return (rows[0] as { tables: Tables }).tables
}
