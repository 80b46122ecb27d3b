import { i18n } from '@lingui/core'
import Check from 'lucide-react/icons/check'
import Pencil from 'lucide-react/icons/pencil'
import Trash from 'lucide-react/icons/trash-2'
import type { Reminder } from '../../../../wire/messages.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import {
  completeReminder,
  deleteReminder,
  setReminder,
  useReminders,
} from '../../../data/messages/reminders.ts'
import { cx } from '../../../ui/cx.ts'
import { formatDateTime, formatDayAndTime } from '../../../ui/dates.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import rows from '../../../ui/listRow.module.css'
import { useToast } from '../../../ui/toast.ts'
import { ReferencedMessage } from '../../conversation/message/extras/ReferencedMessage.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import styles from './ReminderList.module.css'
import { repeatLabel } from './repeatLabel.ts'

/** The user's reminders: those that are due, then the next one. */
export function ReminderList() {
  const reminders = useReminders()
  if (reminders.length === 0)
    return (
      <EmptyState
        title={i18n._('No reminders')}
        text={i18n._(
          'Choose “Remind me…” in the menu of a message, or type /remind. Only you see your reminders.',
        )}
      />
    )
  return (
    <ul>
      {reminders.map((reminder) => (
        <Item key={reminder.id} reminder={reminder} />
      ))}
    </ul>
  )
}

function Item({ reminder }: { reminder: Reminder }) {
  const open = useOverlay()
  const showToast = useToast()
  const { id, text, message_id, due_at, reminded_at, repeats } = reminder
  const isDue = reminded_at !== null
  const at = reminded_at ?? due_at
  const report = (outcome: Outcome, done: string) => {
    if (!outcome.ok) return showToast({ text: outcome.failure.message })
    // A new id: requests of the deleted one may arrive late.
    const restore = () =>
      void setReminder({ ...reminder, id: crypto.randomUUID() }).then((again) => {
        if (!again.ok) showToast({ text: again.failure.message })
      })
    const canRestore = Date.parse(due_at) > Date.now() && !(isDue && repeats === null)
    showToast({ text: done, ...(canRestore ? { action: { label: i18n._('Undo'), run: restore } } : {}) })
    return undefined
  }
  const time = formatDayAndTime(at)
  return (
    <li className={rows.row}>
      <div className={rows.content}>
        <p className={cx(rows.time, styles.time)} title={formatDateTime(at)}>
          {isDue ? <strong>{i18n._('Due: {time}', { time })}</strong> : time}
          {repeats === null ? null : ` · ${repeatLabel(repeats)}`}
        </p>
        {text === '' ? null : (
          <p className={styles.text} dir="auto">
            {text}
          </p>
        )}
        {message_id === null ? null : <ReferencedMessage id={message_id} kind="quote" />}
      </div>
      {isDue || repeats === null ? (
        <IconButton
          label={i18n._('Complete')}
          icon={<Icon of={Check} />}
          onClick={() =>
            void completeReminder(id).then((outcome) => report(outcome, i18n._('Reminder completed.')))
          }
        />
      ) : null}
      <IconButton
        label={i18n._('Edit')}
        icon={<Icon of={Pencil} />}
        onClick={() => open({ kind: 'reminder', reminder })}
      />
      <IconButton
        label={i18n._('Delete')}
        icon={<Icon of={Trash} />}
        onClick={() =>
          void deleteReminder(id).then((outcome) => report(outcome, i18n._('Reminder deleted.')))
        }
      />
    </li>
  )
}
