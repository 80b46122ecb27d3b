import type { CommandName, Commands } from '../../../wire/linnet.ts'

/** A part that the answer never lacks, for the commands whose answers become rows. */
const REQUIRED_KEYS: { [N in CommandName]?: keyof Commands[N]['answer'] & string } = {
  bootstrap: 'channels',
  heartbeat: 'channels',
  channel_page: 'messages',
  channel_changes: 'reset',
  thread_page: 'messages',
  thread_inbox: 'threads',
  thread_states: 'threads',
  send_message: 'message',
  edit_message: 'message',
  delete_message: 'message',
  react: 'message',
  mark_read: 'state',
  mark_unread: 'state',
  mark_thread_read: 'thread',
  mark_thread_unread: 'thread',
  follow_thread: 'thread',
}

/**
 * Whether the server itself can have said this: what stands between, a portal or a proxy, answers anything and calls it
 * well, which taken for rows would stop what runs, and taken for an acceptance lose words.
 */
export function isExpectedResponse(name: CommandName, data: unknown): boolean {
  const key = REQUIRED_KEYS[name]
  return key === undefined || (typeof data === 'object' && data !== null && key in data)
}
