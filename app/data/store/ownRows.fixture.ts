import type { Attachment } from '../../../wire/files.ts'
import type { OwnRows } from '../../../wire/sync.ts'

const at = '2026-01-01T00:00:00Z'
/** A file with all its fields. */
export const file: Required<Attachment> = {
  id: 'f',
  channel_id: 'c',
  name: '',
  type: '',
  size: 0,
  width: 1,
  height: 1,
  thumb: false,
}
const message = { channel_id: 'c', thread_root: null }
/** A row of each kind with all its fields. */
export const ownRows: { [Kind in keyof OwnRows]: Required<OwnRows[Kind][number]> } = {
  drafts: { ...message, id: 'd', body: '', quote: null, rev: 1, change_id: 'x', changed_at: at },
  saved: { id: 'm', channel_id: 'c', state: 'saved', saved_at: at, rev: 1 },
  responses: {
    ...message,
    id: 'r',
    bot_id: 'b',
    command: '',
    text: '',
    state: 'shown',
    problem: null,
    body: '',
    created_at: at,
    rev: 1,
  },
  searches: { id: 'q', name: '', query: '', rev: 1 },
  scheduled: {
    ...message,
    id: 'l',
    also_to_channel: false,
    body: '',
    quote: null,
    send_at: at,
    files: [file],
    problem: null,
    rev: 1,
  },
  reminders: {
    id: 'n',
    text: '',
    message_id: null,
    channel_id: null,
    due_at: at,
    time_zone: 'UTC',
    repeats: null,
    reminded_at: null,
    rev: 1,
  },
}
