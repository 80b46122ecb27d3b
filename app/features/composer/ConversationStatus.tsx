import { i18n } from '@lingui/core'
import { useConnection } from '../../data/session/useWorkspace.ts'
import { useTyping } from '../../data/people/people.ts'
import { cx } from '../../ui/cx.ts'
import { useDelayed } from '../../ui/useDelayed.ts'
import { isolateBidi } from '../../data/people/isolateBidi.ts'
import styles from './ConversationStatus.module.css'

/**
 * The line between the messages and the composer: who is typing, or the state of the connection. Its space is
 * reserved, so that nothing moves when text appears.
 */
export function ConversationStatus({
  channelId,
  threadRoot = null,
}: {
  channelId: string
  threadRoot?: string | null
}) {
  const people = useTyping(channelId, threadRoot)
  const connection = useConnection()
  // A reconnect within four seconds is not reported. A missing network is reported at once, in every conversation,
  // because what is shown may be out of date.
  const isDisconnected = useDelayed(connection !== 'online', connection === 'offline' ? 500 : 4_000)
  const text = isDisconnected
    ? connectionSentence(connection)
    : typingSentence(people.map((person) => isolateBidi(person.name)))
  return (
    <div
      className={cx(styles.line, isDisconnected && styles.disconnected)}
      role={isDisconnected ? 'status' : undefined}
    >
      {text && !isDisconnected ? <span className={styles.dots} aria-hidden="true" /> : null}
      <span className={styles.text}>{text}</span>
    </div>
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
