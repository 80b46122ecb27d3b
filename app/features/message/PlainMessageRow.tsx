import { i18n } from '@lingui/core'
import type { Message } from '../../../wire/messages.ts'
import styles from './MessageRow.module.css'

interface Props {
  message: Message
  scope: 'channel' | 'thread'
  tabStop: boolean
}

/** A message whose row failed to render: only its text, without anything that can fail. */
export function PlainMessageRow({ message, scope, tabStop }: Props) {
  return (
    <article id={`${scope}-${message.id}`} tabIndex={tabStop ? 0 : -1} className={styles.row}>
      <div />
      <div className={styles.content}>
        <p className={styles.muted}>{i18n._('This message can’t be displayed with its formats.')}</p>
        <p className={styles.plain} dir="auto">
          {message.body}
        </p>
      </div>
    </article>
  )
}
