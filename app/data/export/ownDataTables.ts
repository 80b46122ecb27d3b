import type { OwnRows } from '../../../wire/sync.ts'

/** The table of each kind of rows that only their owner sees, and the column that orders it; null: not exported. */
const OWN_TABLES: Record<keyof OwnRows, readonly [string, string] | null> = {
  drafts: ['drafts', 'id'],
  saved: ['saved_messages', 'message_id'],
  searches: ['saved_searches', 'id'],
  scheduled: ['scheduled_messages', 'id'],
  reminders: ['reminders', 'id'],
  // The server removes them after a day.
  responses: null,
}

/**
 * The tables of own rows other than messages: the name of the file, the table with a filter, and the columns that
 * order it.
 */
export const ownDataTables = (me: string): [string, string, string][] => [
  [
    'profile',
    `profiles?id=eq.${me}&select=id,kind,name,pronouns,title,time_zone,avatar,presence,status_emoji,status_text,created_at`,
    'id',
  ],
  ['workspaces', 'workspaces?select=*', 'id'],
  [
    'memberships',
    `workspace_members?profile_id=eq.${me}&select=workspace_id,role,state,created_at,expires_at,deactivated_at`,
    'workspace_id',
  ],
  ['channel_memberships', `channel_members?profile_id=eq.${me}&select=*`, 'channel_id'],
  ['channel_preferences', `channel_member_state?profile_id=eq.${me}&select=*`, 'channel_id'],
  ['sections', 'sections?select=*', 'id'],
  ...Object.values(OWN_TABLES).flatMap((own) =>
    own ? [[own[0], `${own[0]}?select=*`, own[1]] satisfies [string, string, string]] : [],
  ),
  ['reactions', `reactions?profile_id=eq.${me}&select=*`, 'message_id,emoji'],
  ['blocks', 'blocks?select=*', 'blocked_id'],
  ['notification_preferences', 'notification_preferences?select=*', 'workspace_id'],
  ['application_grants', 'application_grants?select=*', 'client_id'],
]
