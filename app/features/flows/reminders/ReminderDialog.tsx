import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { formFailure } from '../../../ui/fieldFailure.ts'
import type { Reminder, ReminderRepeat } from '../../../../wire/messages.ts'
import { REMINDER_CHARACTERS, setReminder } from '../../../data/messages/reminders.ts'
import { success } from '../../../data/failures/failures.ts'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { Button } from '../../../ui/Button.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useToast } from '../../../ui/toast.ts'
import { useAction } from '../../../ui/useAction.ts'
import { ReferencedMessage } from '../../conversation/message/extras/ReferencedMessage.tsx'
import { atHour, formatTimeField, nextWeekday, parseTimeField } from '../../parts/times/localTime.ts'
import { loadTimePhraseParser, type TimePhrase } from '../../parts/times/loadTimePhraseParser.ts'
import { TimeField } from '../../parts/times/TimeField.tsx'
import { TimePhraseField } from '../../parts/times/TimePhraseField.tsx'
import { repeatLabel } from './repeatLabel.ts'
import styles from './ReminderDialog.module.css'

interface Props {
  /** The reminder that is changed; otherwise one is created. */
  reminder?: Reminder
  /** What the field contains at first. */
  text?: string
  /** The message that it is about. */
  messageId?: string
  onClose: () => void
}

const REPEATS: readonly (ReminderRepeat | null)[] = [null, 'daily', 'weekdays', 'weekly', 'monthly']

/** The dialog that creates or changes a reminder: its text, its time and its repetition. */
export default function ReminderDialog({ reminder, text: first = '', messageId, onClose }: Props) {
  const showToast = useToast()
  const about = reminder?.message_id ?? messageId ?? null
  const [id] = useState(() => reminder?.id ?? crypto.randomUUID())
  const [text, setText] = useState(reminder?.text ?? first)
  const [value, setValue] = useState(() =>
    formatTimeField(reminder && reminder.reminded_at === null ? new Date(reminder.due_at) : atHour(1)),
  )
  const [repeats, setRepeats] = useState<ReminderRepeat | null>(reminder?.repeats ?? null)
  const action = useAction()
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)
  const presets: [string, () => Date][] = [
    [i18n._('In 20 minutes'), () => inMinutes(20)],
    [i18n._('In an hour'), () => inMinutes(60)],
    [i18n._('Tomorrow'), () => atHour(1)],
    [i18n._('Next week'), () => nextWeekday(1)],
  ]
  const setTime = ({ at, repeats: found }: TimePhrase) => {
    setValue(formatTimeField(at))
    setRepeats(found)
  }
  const applyText = useEffectEvent((phrase: TimePhrase) => {
    setText((now) => (now === first ? phrase.rest : now))
    setTime(phrase)
  })
  // `/remind next Monday at nine call Ann` has the time in its text.
  useEffect(() => {
    if (first === '') return
    let isCurrent = true
    void loadTimePhraseParser().then((parse) => {
      const phrase = parse(first)
      if (isCurrent && phrase) applyText(phrase)
    })
    return () => {
      isCurrent = false
    }
  }, [first])
  const save = async (at: Date | null) => {
    if (!at) return formFailure(i18n._('Choose a day and a time first.'), 'time')
    if (about === null && text.trim() === '')
      return formFailure(i18n._('Write what you want to be reminded of.'), 'text')
    const due_at = at.toISOString()
    const saved = await setReminder({ id, text: text.trim(), message_id: about, due_at, repeats })
    return saved.ok ? success(due_at) : saved
  }
  const showTime = (due_at: string) =>
    showToast({ text: i18n._('Reminder: {time}.', { time: formatDayAndTime(due_at) }) })
  const saveAt = async (at: Date) => {
    const done = await action.run(() => save(at))
    if (!done) return
    onClose()
    showTime(done.value)
  }
  return (
    <FormDialog
      title={reminder ? i18n._('Edit reminder') : i18n._('Remind me')}
      action={i18n._('Save')}
      run={() => save(parseTimeField(value))}
      state={action}
      onDone={showTime}
      onClose={onClose}
    >
      {about === null ? (
        <TextField
          name="text"
          label={i18n._('Remind me to')}
          value={text}
          maxLength={REMINDER_CHARACTERS}
          onChange={setText}
        />
      ) : (
        <ReferencedMessage id={about} kind="quote" />
      )}
      <div className={styles.presets}>
        {presets.map(([label, at]) => (
          <Button key={label} busy={action.busy} onClick={() => void saveAt(at())}>
            {label}
          </Button>
        ))}
      </div>
      <TimePhraseField onTime={setTime} />
      <TimeField label={i18n._('Time')} value={value} onChange={setValue} />
      <RadioGroup<ReminderRepeat | 'never'>
        label={i18n._('Repeat')}
        value={repeats ?? 'never'}
        options={REPEATS.map((one) => ({ value: one ?? 'never', label: repeatLabel(one) }))}
        onChange={(next) => setRepeats(next === 'never' ? null : next)}
      />
    </FormDialog>
  )
}
