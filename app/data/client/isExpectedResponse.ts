import type { CommandName, Commands } from '../../../wire/commands.ts'

/** A key that the response always has, for commands whose responses become rows. */
const REQUIRED_KEYS: { [N in CommandName]?: keyof Commands[N]['response'] & string } = {
  bootstrap: 'channels',
  heartbeat: 'channels',
  channel_page: 'messages',
  channel_changes: 'reset',
  thread_page: 'messages',
  thread_inbox: 'threads',
  thread_states: 'threads',
  activity: 'entries',
  recount_unread: 'channels',
  search_messages: 'hits',
  send_message: 'message',
  save_draft: 'applied',
  save_message: 'saved',
  edit_message: 'message',
  delete_message: 'message',
  react: 'message',
  pin_message: 'message',
  close_poll: 'message',
  remove_link_preview: 'message',
  move_thread: 'message',
  messages_by_ids: 'messages',
  message_at: 'message',
  mark_read: 'state',
  mark_unread: 'state',
  mark_thread_read: 'thread',
  mark_thread_unread: 'thread',
  follow_thread: 'thread',
}

/**
 * Whether a response can be the server's. A captive portal or proxy may send any body with status 200: as rows it would
 * stop synchronization, and as the response to a message it would lose that.
 */
export function isExpectedResponse(name: CommandName, data: unknown): boolean {
  const key = REQUIRED_KEYS[name]
  return key === undefined || (typeof data === 'object' && data !== null && key in data)
}
