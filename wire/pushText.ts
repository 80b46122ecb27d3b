import type { PushPayload } from './push.ts'
import { pushWording } from './pushWording.ts'

/** The title and the text of the notification of a push message, in the language of the device. */
export function pushText({
  kind,
  language,
  title,
  lines,
}: Pick<PushPayload, 'kind' | 'language' | 'title' | 'lines'>): { title: string; body: string } {
  const wording = pushWording(language)
  if (kind === 'test') return { title: wording.testTitle, body: wording.testBody }
  const body = (lines ?? [])
    .map(({ author, text }) => (author === null ? text : `${author}: ${text}`))
    .join('\n')
  if (kind === 'reminder') {
    const otherwise = lines ? wording.reminderBody : wording.hiddenReminderBody
    return { title: wording.reminderTitle, body: body || otherwise }
  }
  return { title: title ?? wording.unreadableTitle, body: body || wording.unreadableBody }
}
