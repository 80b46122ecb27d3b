import { i18n } from '@lingui/core'
import Clock from 'lucide-react/icons/clock'
import { useId } from 'react'
import { Link } from '../../ui/Link.tsx'
import { pathTo } from '../../paths.ts'
import type { Reminder } from '../../../wire/messages.ts'
import { ReferencedMessage } from '../../features/conversation/message/extras/ReferencedMessage.tsx'
import { cx } from '../../ui/cx.ts'
import { formatDateTime, formatDayAndTime } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './ActivityRow.module.css'

/** A reminder that has become due, until it is completed. The whole row opens the list of reminders. */
export function ReminderRow({ reminder, at }: { reminder: Reminder; at: string }) {
  const id = useId()
  return (
    <article aria-labelledby={id} className={cx(styles.row, styles.unread, styles.mention)}>
      <span className={styles.icon}>
        <Icon of={Clock} size={20} />
      </span>
      <div className={styles.content}>
        <p id={id}>
          <Link data-entry href={pathTo('saved')} className={styles.head}>
            <span className="visually-hidden">{i18n._('Unread')}</span>
            <span className={styles.what}>{i18n._('Reminder')}</span>
            <time dateTime={at} title={formatDateTime(at)} className={styles.when}>
              {formatDayAndTime(at)}
            </time>
          </Link>
        </p>
        {reminder.text === '' ? null : (
          <p className={styles.text} dir="auto">
            {reminder.text}
          </p>
        )}
        {reminder.message_id === null ? null : <ReferencedMessage id={reminder.message_id} kind="quote" />}
      </div>
    </article>
  )
}
