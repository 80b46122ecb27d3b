import { i18n } from '@lingui/core'
import type { Message } from '../../../../wire/messages.ts'
import { useProfile } from '../../../data/people/people.ts'
import { cx } from '../../../ui/cx.ts'
import { ErrorBoundary } from '../../../ui/ErrorBoundary.tsx'
import styles from './MessageRow.module.css'

interface Props {
  message: Message
  scope: 'channel' | 'thread'
  tabStop: boolean
}

/** A message whose row failed to render: its author and its text, without anything else that can fail. */
export default function PlainMessageRow({ message, scope, tabStop }: Props) {
  return (
    <article
      id={`${scope}-${message.id}`}
      tabIndex={tabStop ? 0 : -1}
      className={cx(styles.row, styles.head)}
    >
      <div className={styles.aside} />
      <div className={styles.content}>
        <ErrorBoundary fallback={null}>
          <AuthorName id={message.author_id} />
        </ErrorBoundary>
        <p className={styles.plain} dir="auto">
          {message.body}
        </p>
        <p className={styles.muted}>{i18n._('This message can’t be displayed with its formatting.')}</p>
      </div>
    </article>
  )
}

function AuthorName({ id }: { id: string }) {
  const author = useProfile(id)
  return (
    <strong>
      <bdi>{author?.name ?? i18n._('Former member')}</bdi>
    </strong>
  )
}
