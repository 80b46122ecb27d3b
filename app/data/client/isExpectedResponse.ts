import type { CommandName, Commands } from '../../../wire/linnet.ts'

/** A part that the answer never lacks, for the commands whose answers become rows. */
const REQUIRED_KEYS: { [N in CommandName]?: keyof Commands[N]['response'] & string } = {
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
 * Whether a response can come from the server itself. A captive portal or a proxy may send any body with status 200: taken
 * for rows it would stop synchronization, taken for an acceptance it would lose a message.
 */
export function isExpectedResponse(name: CommandName, data: unknown): boolean {
  const key = REQUIRED_KEYS[name]
  return key === undefined || (typeof data === 'object' && data !== null && key in data)
}
