import { isObject, type Fields } from '../../../../supabase/functions/_shared/payloadFields.ts'
import type { ExportFiles } from '../openExport.ts'
import { readJsonObject } from '../readJsonArray.ts'
import { lineOf } from '../lineOf.ts'
import type { PlacedMessage } from './createConversations.ts'
import { idOf, isOther, timeOf } from './readRealm.ts'

export interface ZulipMessage extends PlacedMessage {
  content: string
  /** When its text was edited, in microseconds; null if it was not. A message that was moved only was not edited. */
  editedAt: number | null
  /** The addresses of the server in the text, such as `https://chat.example.org`. */
  origins: string[]
}

export type MessageEntry =
  | { kind: 'message'; message: ZulipMessage }
  | { kind: 'reaction'; fields: Fields }
  | { kind: 'skipped'; reason: string; recipient: number | null }

const messageFile = /^messages-\d{1,9}\.json$/
const lists = ['zerver_message', 'zerver_reaction']
const maxOrigins = 20
const maxEdits = 10_000

function messageFiles(files: ExportFiles): string[] {
  return Array.from(files.sizes.keys())
    .filter((name) => messageFile.test(name))
    .sort()
}

/** The messages of all conversations. */
export async function* readMessages(files: ExportFiles): AsyncGenerator<MessageEntry> {
  for (const name of messageFiles(files)) {
    for await (const entry of readJsonObject(await files.open(name), lists)) {
      if (isOther(entry, lists)) continue
      if ('problem' in entry) yield { kind: 'skipped', reason: entry.problem, recipient: null }
      else if (!isObject(entry.value)) yield { kind: 'skipped', reason: 'damaged', recipient: null }
      else if (entry.key === 'zerver_reaction') yield { kind: 'reaction', fields: entry.value }
      else yield readMessage(entry.value)
    }
  }
}

function readMessage(fields: Fields): MessageEntry {
  const [id, sender, recipient] = [idOf(fields['id']), idOf(fields['sender']), idOf(fields['recipient'])]
  // Versions before 2.1 name the time otherwise.
  const at = timeOf(fields['date_sent']) ?? timeOf(fields['pub_date'])
  if (id === null || sender === null || recipient === null)
    return { kind: 'skipped', reason: 'damaged', recipient }
  if (at === null) return { kind: 'skipped', reason: 'without a time', recipient }
  const content = typeof fields['content'] === 'string' ? fields['content'] : ''
  const message = {
    id,
    at,
    sender,
    recipient,
    // Direct messages have one control character as their topic, which is left out.
    subject: lineOf(fields['subject'], 200),
    content,
    editedAt: editedAtOf(fields),
    origins: originsOf(content, fields['rendered_content']),
  }
  return { kind: 'message', message }
}

/** The history has an entry for each edit or move, and the text before if it was edited. */
function editedAtOf(fields: Fields): number | null {
  const history = fields['edit_history']
  if (typeof history !== 'string' || history.length < 3) return timeOf(fields['last_edit_time'])
  try {
    const entries: unknown = JSON.parse(history)
    const times = (Array.isArray(entries) ? entries.slice(0, maxEdits) : [])
      .filter(isObject)
      .filter((entry) => typeof entry['prev_content'] === 'string')
      .map((entry) => timeOf(entry['timestamp']))
      .filter((time) => time !== null)
    return times.length > 0 ? Math.max(...times) : null
  } catch {
    return timeOf(fields['last_edit_time'])
  }
}

/**
 * The servers in a text whose pages belong to the export, which does not have its own address. Zulip removes this address from
 * links when it renders a message, and stores the result in the export.
 */
function originsOf(content: string, rendered: unknown): string[] {
  if (typeof rendered !== 'string' || !/\/(?:#narrow|user_uploads)\//.test(content)) return []
  if (!/href="\/?(?:#narrow|user_uploads)\//.test(rendered)) return []
  const found = content.matchAll(/(?<origin>https?:\/\/[^\s/()<>"'[\]]{1,255})\/(?:#narrow|user_uploads)\//g)
  const origins = new Set(Array.from(found, ({ groups }) => groups!['origin']!))
  return Array.from(origins)
    .slice(0, maxOrigins)
    .filter(
      (origin) =>
        !rendered.includes(`href="${origin}/#narrow/`) && !rendered.includes(`href="${origin}/user_uploads/`),
    )
}
