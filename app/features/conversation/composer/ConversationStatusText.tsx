import { i18n } from '@lingui/core'
import type { Profile } from '../../../../wire/people.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import styles from './ConversationStatus.module.css'

interface Props {
  /** The state of the connection if it is shown; else null. */
  connection: string | null
  /** Who is typing. */
  people: readonly Profile[]
}

export default function ConversationStatusText({ connection, people }: Props) {
  return (
    <>
      {connection === null ? <span className={styles.dots} aria-hidden="true" /> : null}
      <span className={styles.text}>
        {connection === null
          ? typingSentence(people.map((person) => isolateBidi(person.name)))
          : connectionSentence(connection)}
      </span>
    </>
  )
}

function connectionSentence(connection: string): string {
  return connection === 'offline'
    ? i18n._('You’re offline. Messages may be out of date; anything you send goes out when you reconnect.')
    : i18n._('Not connected. Your messages are saved here and will be sent when you reconnect.')
}

function typingSentence(names: string[]): string {
  const [first, second, third] = names
  if (!first) return ''
  if (!second) return i18n._('{first} is typing', { first })
  if (!third) return i18n._('{first} and {second} are typing', { first, second })
  if (names.length === 3) return i18n._('{first}, {second} and {third} are typing', { first, second, third })
  return i18n._('Several people are typing')
}
