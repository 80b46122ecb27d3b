import { i18n } from '@lingui/core'
import type { SystemNote } from '../../../../../wire/messages.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'

/** The person whom a system message names besides its author; null if there is none. */
export function otherPersonOf(note: SystemNote | null): string | null {
  return note && 'profile_id' in note ? note.profile_id : null
}

/** What happened to the channel, with the names of the author and of the other person. */
export function systemSentence(note: SystemNote | null, author: string, other: string): string {
  switch (note?.event) {
    case 'created':
      return i18n._('{author} created this channel.', { author })
    case 'joined':
      return i18n._('{author} joined.', { author })
    case 'left':
      return i18n._('{author} left.', { author })
    case 'added':
      return i18n._('{author} added {other}.', { author, other })
    case 'removed':
      return i18n._('{author} removed {other}.', { author, other })
    case 'renamed':
      return i18n._('{author} renamed the channel to {name}.', { author, name: isolateBidi(note.name) })
    case 'topic':
      return note.topic
        ? i18n._('{author} set the topic: {topic}', { author, topic: isolateBidi(note.topic) })
        : i18n._('{author} cleared the topic.', { author })
    case 'description':
      return note.description
        ? i18n._('{author} set the description: {description}', {
            author,
            description: isolateBidi(note.description),
          })
        : i18n._('{author} cleared the description.', { author })
    case 'visibility':
      return note.kind === 'private'
        ? i18n._('{author} made this channel private. Only members can see it now.', { author })
        : i18n._('{author} made this channel public. Any member of the workspace can see it now.', { author })
    case 'posting':
      return note.posting === 'admins'
        ? i18n._('{author} made this an announcement channel. Only channel managers can post.', { author })
        : i18n._('{author} allowed everyone to post in this channel.', { author })
    case 'archived':
      return i18n._('{author} archived this channel. It’s now read-only.', { author })
    case 'unarchived':
      return i18n._('{author} unarchived this channel.', { author })
    case 'published':
      if (note.history && note.files)
        return i18n._(
          '{author} put this channel on the web. Anyone can read it and open its files, including earlier ones.',
          { author },
        )
      if (note.files)
        return i18n._(
          '{author} put this channel on the web. Anyone can read what is written from now on, and open the files.',
          { author },
        )
      if (note.history)
        return i18n._(
          '{author} put this channel on the web. Anyone can read it, including earlier messages.',
          {
            author,
          },
        )
      return i18n._('{author} put this channel on the web. Anyone can read what is written from now on.', {
        author,
      })
    case 'web_files_shown':
      return i18n._(
        '{author} put the files of this channel on the web. Anyone can open those sent from now on.',
        {
          author,
        },
      )
    case 'web_files_hidden':
      return i18n._('{author} removed the files of this channel from the web.', { author })
    case 'unpublished':
      return i18n._('{author} removed this channel from the web. Only the workspace can read it now.', {
        author,
      })
    default:
      return ''
  }
}
