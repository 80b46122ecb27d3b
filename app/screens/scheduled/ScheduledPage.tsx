import { i18n } from '@lingui/core'
import Pencil from 'lucide-react/icons/pencil'
import SendHorizontal from 'lucide-react/icons/send-horizontal'
import Trash from 'lucide-react/icons/trash-2'
import { useState } from 'react'
import { Link } from '../../ui/Link.tsx'
import { conversationPath } from '../../paths.ts'
import type { ScheduledMessage } from '../../../wire/messages.ts'
import { useChannel } from '../../data/channels/channels.ts'
import type { Outcome } from '../../data/failures/failures.ts'
import { createMessageId } from '../../data/messages/createMessageId.ts'
import {
  deleteScheduledMessage,
  scheduleProblemSentence,
  scheduleMessage,
  sendScheduledMessage,
  useScheduledMessages,
} from '../../data/messages/scheduledMessages.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { titleOf } from '../../features/parts/channels/titleOf.ts'
import { plainText } from '../../features/parts/body/plainText.ts'
import { cx } from '../../ui/cx.ts'
import { formatDateTime, formatDayAndTime } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import rows from '../../ui/listRow.module.css'
import { useToast } from '../../ui/toast.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListPage } from '../../shell/ListPage.tsx'
import EditScheduled from './EditScheduled.tsx'
import { ScheduledFiles } from './ScheduledFiles.tsx'
import styles from './ScheduledPage.module.css'

/** The number of characters of a message that are shown. */
const EXCERPT_CHARACTERS = 300

/**
 * The page with the user's scheduled messages. Messages that could not be sent come first, then the others by their
 * time.
 */
export default function ScheduledPage() {
  const rows = useScheduledMessages()
  const [editing, setEditing] = useState<ScheduledMessage | null>(null)
  const ordered = [
    ...rows.filter((row) => row.problem !== null),
    ...rows.filter((row) => row.problem === null),
  ]
  return (
    <ListPage title={i18n._('Scheduled')}>
      {ordered.length > 0 ? (
        <ul>
          {ordered.map((row) => (
            <Item key={row.id} row={row} onEdit={() => setEditing(row)} />
          ))}
        </ul>
      ) : (
        <EmptyState
          title={i18n._('No scheduled messages')}
          text={i18n._(
            'Write a message, choose “Schedule message” below it and then a time. Linnet sends it at that time, even if you’re offline.',
          )}
        />
      )}
      {editing ? <EditScheduled row={editing} onClose={() => setEditing(null)} /> : null}
    </ListPage>
  )
}

function Item({ row, onEdit }: { row: ScheduledMessage; onEdit: () => void }) {
  const showToast = useToast()
  const channel = useChannel(row.channel_id)
  const name = typeof channel === 'string' ? i18n._('A conversation you left') : titleOf(channel)
  const place =
    row.thread_root === null || typeof channel === 'string'
      ? name
      : i18n._('Thread in {channel}', { channel: name })
  const report = (outcome: Outcome, done: () => void) => {
    if (outcome.ok) return done()
    showToast({
      text:
        outcome.failure.name === 'not_found'
          ? i18n._('This message has already been sent.')
          : outcome.failure.message,
    })
  }
  const send = () =>
    void sendScheduledMessage(row.id).then((outcome) =>
      outcome.ok
        ? showToast({ text: i18n._('Message sent.') })
        : showToast({ text: outcome.failure.message }),
    )
  // Its files are deleted with it, so that this can't be undone.
  const [isConfirming, setConfirming] = useState(false)
  const remove = () =>
    void deleteScheduledMessage(row.id).then((outcome) =>
      report(outcome, () => {
        const isPast = Date.parse(row.send_at) <= Date.now()
        // A new id: requests of the deleted one may arrive late.
        const restore = () =>
          void scheduleMessage({ ...row, id: createMessageId(Date.parse(row.send_at)) }, row.send_at).then(
            (again) => {
              if (!again.ok) showToast({ text: again.failure.message })
            },
          )
        showToast({
          text: i18n._('Scheduled message deleted.'),
          ...(isPast ? {} : { action: { label: i18n._('Undo'), run: restore } }),
        })
      }),
    )
  return (
    <li className={cx(rows.row, styles.item)}>
      <div className={cx(rows.content, styles.content)}>
        <div className={cx(rows.head, styles.head)}>
          <Link href={conversationPath(row.channel_id, row.thread_root)} className={rows.place} data-entry>
            <bdi>{place}</bdi>
          </Link>
          <time className={rows.time} dateTime={row.send_at} title={formatDateTime(row.send_at)}>
            {formatDayAndTime(row.send_at)}
          </time>
        </div>
        {row.problem === null ? null : (
          <p className={styles.problem}>{scheduleProblemSentence(row.problem)}</p>
        )}
        {row.body === '' ? null : (
          <p className={rows.excerpt} dir="auto">
            {plainText(row.body).slice(0, EXCERPT_CHARACTERS)}
          </p>
        )}
        <ScheduledFiles files={row.files ?? []} />
      </div>
      <div className={styles.actions}>
        <IconButton label={i18n._('Send now')} icon={<Icon of={SendHorizontal} />} onClick={send} />
        <IconButton label={i18n._('Edit')} icon={<Icon of={Pencil} />} onClick={onEdit} />
        <IconButton
          label={i18n._('Delete')}
          icon={<Icon of={Trash} />}
          onClick={row.files ? () => setConfirming(true) : remove}
        />
      </div>
      {isConfirming ? (
        <ConfirmDialog
          title={i18n._('Delete scheduled message?')}
          action={i18n._('Delete')}
          isDestructive
          run={() => deleteScheduledMessage(row.id)}
          onClose={() => setConfirming(false)}
        >
          <p>{i18n._('The message won’t be sent, and its files are deleted.')}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  )
}
