import { i18n } from '@lingui/core'
import type { Message, SystemNote } from '../../../wire/linnet.ts'
import { useProfile } from '../../data/people.ts'
import { momentOf, timeOf } from '../../ui/clock.ts'
import { isolated } from '../../ui/isolated.ts'
import styles from './SystemLine.module.css'

/** What happened to the channel itself, in one soft line. */
export function SystemLine({ message }: { message: Message }) {
  const author = useProfile(message.author_id)
  const other = useProfile(otherOf(message.system) ?? message.author_id)
  const someone = i18n._('Someone')
  return (
    <p className={styles.line}>
      <span>
        {sentenceOf(message.system, isolated(author?.name ?? someone), isolated(other?.name ?? someone))}
      </span>{' '}
      <time className={styles.time} dateTime={message.created_at} title={momentOf(message.created_at)}>
        {timeOf(message.created_at)}
      </time>
    </p>
  )
}

function otherOf(note: SystemNote | null): string | null {
  return note && 'profile_id' in note ? note.profile_id : null
}

function sentenceOf(note: SystemNote | null, author: string, other: string): string {
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
      return i18n._('{author} renamed the channel to {name}.', { author, name: isolated(note.name) })
    case 'topic':
      return note.topic
        ? i18n._('{author} set the topic: {topic}', { author, topic: isolated(note.topic) })
        : i18n._('{author} cleared the topic.', { author })
    default:
      return ''
  }
}
