import { objectOf, textOf, type Fields } from '../../../../supabase/functions/_shared/payloadFields.ts'
import type { SystemNote } from '../../../../wire/messages.ts'
import type { ExportedAuthor, ExportedContent } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import { hasText, readPostText } from './convertText.ts'
import { userKeyOf } from './names.ts'

/** Texts of people or programs whose types begin with "system_", as the types of notices do. */
const texts = new Set(['system_auto_responder', 'system_generic'])
/** Notices whose types do not begin with "system_". */
const notices = new Set(['add_bot_teams_channels', 'warn_metric_status'])

/** What a post becomes, and what it becomes as the first message of a thread, since a notice has none. */
export interface ClassifiedPost {
  author: ExportedAuthor
  content: ExportedContent
  contentAsRoot: ExportedContent
}

/** @param team the team of the channel; empty in a conversation */
export function classifyPost(post: Fields, team: string): ClassifiedPost {
  const type = textOf(post['type'])
  const author = authorOf(post)
  const text = readPostText(post, team)
  const isShown = hasText(text) || (Array.isArray(post['attachments']) && post['attachments'].length > 0)
  const asText: ExportedContent = isShown
    ? { kind: 'text', fields: text }
    : { kind: 'skipped', reason: 'without content' }
  const contentAsRoot: ExportedContent = isShown ? asText : { kind: 'deleted' }
  // Its author wanted that it disappears.
  if (type === 'burn_on_read')
    return {
      author,
      content: { kind: 'skipped', reason: 'message that disappears' },
      contentAsRoot: { kind: 'deleted' },
    }
  if ((!type.startsWith('system_') && !notices.has(type)) || texts.has(type))
    return { author, content: asText, contentAsRoot }
  const notice = noticeOf(type, objectOf(post['props']))
  if (notice === null)
    return { author, content: { kind: 'skipped', reason: 'notice of Mattermost' }, contentAsRoot }
  const { person, note } = notice
  return {
    author: person === undefined ? author : { key: person, name: person },
    content: { kind: 'system', note },
    contentAsRoot,
  }
}

/** The counterpart of a notice, and the person whom it is about if that is not its author; null if it has none. */
function noticeOf(type: string, props: Fields): { note: SystemNote; person?: string } | null {
  // Whoever adds or removes somebody is the author. The name of the other person is a property.
  const about = (event: 'joined' | 'left', ...names: string[]): ReturnType<typeof noticeOf> => {
    const person = names.map((name) => userKeyOf(props[name])).find(Boolean)
    return person === undefined ? null : { note: { event }, person }
  }
  switch (type) {
    case 'system_join_channel':
    case 'system_guest_join_channel':
      return { note: { event: 'joined' } }
    case 'system_leave_channel':
      return { note: { event: 'left' } }
    case 'system_add_to_channel':
    case 'system_add_guest_to_chan':
      return about('joined', 'addedUsername')
    case 'system_remove_from_channel':
      return about('left', 'removedUsername')
    case 'system_header_change':
      return { note: { event: 'topic', topic: lineOf(props['new_header'], 250) } }
    case 'system_purpose_change':
      return { note: { event: 'description', description: lineOf(props['new_purpose'], 1_000) } }
    case 'system_displayname_change': {
      const name = lineOf(props['new_displayname'], 80)
      return name === '' ? null : { note: { event: 'renamed', name } }
    }
    case 'system_convert_channel':
      return { note: { event: 'visibility', kind: 'private' } }
    case 'system_channel_deleted':
      return { note: { event: 'archived' } }
    case 'system_channel_restored':
      return { note: { event: 'unarchived' } }
    default:
      return null
  }
}

const isTrue = (value: unknown): boolean => value === true || value === 'true'

/** The author of a post. A webhook posts as the person who has created it, and shows another name. */
function authorOf(post: Fields): ExportedAuthor {
  const user = userKeyOf(post['user'])
  const props = objectOf(post['props'])
  const isWebhook = isTrue(props['from_webhook'])
  const shown = lineOf(props['override_username'], 80)
  if (isWebhook || (shown !== '' && isTrue(props['from_bot']))) {
    const name = shown || lineOf(props['webhook_display_name'], 80) || 'Webhook'
    return { key: `bot//${name}`, name }
  }
  return user === '' ? { key: 'bot//', name: '' } : { key: user, name: lineOf(user, 80) }
}
