import { escapeHtml } from '../escapeHtml.ts'
import type { SystemNote } from '../messages.ts'

/** A system message as a sentence in HTML. `nameOf`: the name of a person by id. */
export function renderNotice(
  note: SystemNote | null,
  author: string,
  nameOf: (who: string) => string | undefined,
): string {
  const isolate = (text: string): string => `<bdi>${escapeHtml(text)}</bdi>`
  return `${isolate(author)} ${describe(note, isolate, nameOf)}`
}

function describe(
  note: SystemNote | null,
  isolate: (text: string) => string,
  nameOf: (who: string) => string | undefined,
): string {
  switch (note?.event) {
    case 'created':
      return 'created this channel.'
    case 'joined':
      return 'joined.'
    case 'left':
      return 'left.'
    case 'added':
    case 'removed':
      return `${note.event} ${isolate(nameOf(note.profile_id) ?? 'Former member')}.`
    case 'renamed':
      return `renamed the channel to ${isolate(note.name)}.`
    case 'topic':
      return note.topic ? `set the topic: ${isolate(note.topic)}` : 'cleared the topic.'
    case 'description':
      return note.description
        ? `set the description: ${isolate(note.description)}`
        : 'cleared the description.'
    case 'visibility':
      return `made this channel ${note.kind === 'private' ? 'private' : 'public'}.`
    case 'posting':
      return note.posting === 'admins'
        ? 'made this an announcement channel.'
        : 'allowed everyone to post in this channel.'
    case 'archived':
      return 'archived this channel.'
    case 'unarchived':
      return 'unarchived this channel.'
    case 'published':
      return 'put this channel on the web.'
    case 'unpublished':
      return 'removed this channel from the web.'
    case 'web_files_shown':
      return 'put the files of this channel on the web.'
    case 'web_files_hidden':
      return 'removed the files of this channel from the web.'
    default:
      return 'changed this channel.'
  }
}
