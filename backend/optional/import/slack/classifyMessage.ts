import {
  isObject,
  objectOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import type { SystemNote } from '../../../../wire/messages.ts'
import type { ExportedAuthor, ExportedContent } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import { isSlackId, nameOf } from './readLists.ts'
import { microsecondsOf } from './slackTimes.ts'

/** Notices of Slack that have no counterpart. */
const notices = new Set([
  'app_conversation_join',
  'bot_add',
  'bot_disable',
  'bot_enable',
  'bot_remove',
  'channel_convert_to_private',
  'channel_convert_to_public',
  'channel_posting_permissions',
  'group_convert_to_public',
  'joiner_notification',
  'joiner_notification_for_inviter',
  'pinned_item',
  'reminder_add',
  'reply_broadcast',
  'sh_room_created',
  'sh_room_shared',
  'unpinned_item',
])

/** @param isRoot whether replies refer to the message: then it stays as a text, since a notice has no thread */
export function classifyMessage(message: Fields, isRoot: boolean): ExportedContent {
  const subtype = textOf(message['subtype'])
  if (subtype === 'tombstone') return { kind: 'deleted' }
  if (subtype === 'message_changed' || subtype === 'message_deleted')
    return isRoot ? { kind: 'deleted' } : { kind: 'skipped', reason: 'record of an edit or deletion' }
  const note = isRoot ? null : noteOf(subtype, message)
  if (note !== null) return { kind: 'system', note }
  if (notices.has(subtype) && !isRoot) return { kind: 'skipped', reason: 'notice of Slack' }
  if (hasContent(message)) return { kind: 'text', fields: textFields(message) }
  return isRoot ? { kind: 'deleted' } : { kind: 'skipped', reason: 'without content' }
}

function noteOf(subtype: string, message: Fields): SystemNote | null {
  switch (subtype.replace(/^group_/, 'channel_')) {
    case 'channel_join':
      return { event: 'joined' }
    case 'channel_leave':
      return { event: 'left' }
    case 'channel_topic':
      return { event: 'topic', topic: lineOf(message['topic'], 250) }
    case 'channel_purpose':
      return { event: 'description', description: lineOf(message['purpose'], 1_000) }
    case 'channel_name': {
      const name = lineOf(message['name'], 80)
      return name === '' ? null : { event: 'renamed', name }
    }
    case 'channel_archive':
      return { event: 'archived' }
    case 'channel_unarchive':
      return { event: 'unarchived' }
    default:
      return null
  }
}

function hasContent(message: Fields): boolean {
  const isFilled = (key: string): boolean => Array.isArray(message[key]) && message[key].length > 0
  return (
    textOf(message['text']) !== '' ||
    ['blocks', 'attachments', 'files'].some(isFilled) ||
    isObject(message['file'])
  )
}

/** The fields that `convertText` reads. */
function textFields({ subtype, text, blocks, attachments, file }: Fields): Fields {
  return { subtype, text: isFileNotice(textOf(text)) ? commentOf(file) : text, blocks, attachments }
}

/** Before 2018, Slack wrote a sentence for a file, with the comment of its author beside it. */
const isFileNotice = (text: string): boolean => /^<@\w+(?:\|[^>]*)?> (?:uploaded|shared) a file:/.test(text)

const commentOf = (file: unknown): string => textOf(objectOf(objectOf(file)['initial_comment'])['comment'])

/** The author of a message, if it names one. */
export function authorOf(message: Fields): ExportedAuthor {
  const user = [message['user'], objectOf(message['comment'])['user']].map(textOf).find(isSlackId)
  if (user !== undefined) return { key: user, name: nameOf(objectOf(message['user_profile'])) }
  const bot = textOf(message['bot_id'])
  const profile = objectOf(message['bot_profile'])
  const name = lineOf(message['username'], 80) || lineOf(profile['name'], 80)
  return { key: `bot/${isSlackId(bot) ? bot : ''}/${name}`, name }
}

/** The time of the first message of the thread of a reply, in microseconds; null for other messages. */
export function rootTimeOf(message: Fields): number | null {
  const [at, root] = [message['ts'], message['thread_ts']].map(microsecondsOf)
  return at !== null && at !== undefined && root !== null && root !== undefined && root < at ? root : null
}

/** Whether a reply was also sent to the channel. */
export function isBroadcast(message: Fields): boolean {
  return message['subtype'] === 'thread_broadcast'
}

/** Whether a message shows that it has replies. */
export function hasReplies(message: Fields): boolean {
  return message['thread_ts'] === message['ts'] && message['thread_ts'] !== undefined
}
