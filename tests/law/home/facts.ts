import type { Pool } from '../../../backend/postgres/connections/pool.ts'
import type { ChannelKind, SystemNote, Timestamp, Uuid, WorkspaceRole } from '../../../wire/linnet.ts'

export interface MessageFact {
  id: Uuid
  channel_id: Uuid
  kind: 'text' | 'system'
  seq: number | null
  thread_root: Uuid | null
  thread_seq: number | null
  last_thread_seq: number
  reply_count: number
  reply_people: Uuid[]
  last_reply_at: Timestamp | null
  base_seq: number
  rev: number
  author_id: Uuid
  body: string
  system: SystemNote | null
  created_at: Timestamp
  edited_at: Timestamp | null
  deleted_at: Timestamp | null
}

export interface ChannelFact {
  id: Uuid
  workspace_id: Uuid
  kind: ChannelKind
  name: string | null
  topic: string
  posting: 'everyone' | 'admins'
  archived_at: Timestamp | null
  first_seq: number
  created_by: Uuid | null
  created_at: Timestamp
  [later: string]: unknown
}

interface ProfileFact {
  id: Uuid
  user_id: Uuid | null
  kind: 'person' | 'bot' | 'imported'
  name: string
  [column: string]: unknown
}

interface StateFact {
  channel_id: Uuid
  profile_id: Uuid
  last_read_seq: number
  read_version: number
  notify: 'all' | 'mentions' | 'nothing'
  muted: boolean
  starred: boolean
  hidden: boolean
  [column: string]: unknown
}

interface PlaceFact {
  profile_id: Uuid
  role: WorkspaceRole
  state: 'active' | 'deactivated'
  created_at: Timestamp
}

/** The rows of the tables, as they stand: what is true, whatever commands answer. */
export interface Facts {
  profiles: ProfileFact[]
  workspaces: { id: Uuid; name: string }[]
  workspace_members: PlaceFact[]
  channels: ChannelFact[]
  channel_counters: { channel_id: Uuid; last_seq: number; rev: number; meta_rev: number; epoch: number }[]
  channel_members: {
    channel_id: Uuid
    profile_id: Uuid
    role: 'admin' | 'member'
    history_from_seq: number
  }[]
  channel_state: StateFact[]
  messages: MessageFact[]
  reactions: { message_id: Uuid; emoji: string; profile_id: Uuid; position: number }[]
  pins: { message_id: Uuid; pinned_at: Timestamp }[]
  mentions: { message_id: Uuid; kind: 'person' | 'channel' | 'here'; profile_id: Uuid | null }[]
  thread_members: ThreadFact[]
  sections: SectionFact[]
}

interface ThreadFact {
  root_id: Uuid
  profile_id: Uuid
  follows: boolean
  last_read_thread_seq: number
  read_version: number
}

interface SectionFact {
  id: Uuid
  profile_id: Uuid
  name: string
  position: number
  collapsed: boolean
}

const TABLES = [
  'profiles',
  'workspaces',
  'workspace_members',
  'channels',
  'channel_counters',
  'channel_members',
  'channel_state',
  'messages',
  'reactions',
  'pins',
  'mentions',
  'thread_members',
  'sections',
] as const satisfies readonly (keyof Facts)[]

/** Reads all of it in one statement, so that it is of one moment. */
export async function readFacts(admin: Pool): Promise<Facts> {
  const { rows } = await admin.query({
    name: 'facts',
    // No answer has the time of a stored broadcast.
    text: `select jsonb_build_object(${TABLES.map(
      (table) =>
        `'${table}', coalesce((select jsonb_agg(to_jsonb(t) - 'broadcast_at') from public.${table} t), '[]')`,
    ).join(', ')}) as facts`,
  })
  return (rows[0] as { facts: Facts }).facts
}
