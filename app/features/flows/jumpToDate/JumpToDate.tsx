import { i18n } from '@lingui/core'
import { useState } from 'react'
import { success } from '../../../data/failures/failures.ts'
import { formFailure } from '../../../ui/fieldFailure.ts'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import Menu, { type MenuItem } from '../../../ui/Menu.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { TimePhraseField } from '../../parts/times/TimePhraseField.tsx'
import { formatDayField, parseDay, startOfDayAgo } from '../../parts/times/localDay.ts'
import { useJumpToDate } from './useJumpToDate.ts'

interface Props {
  channelId: string
  /** The button of a day: a menu opens there. Otherwise a dialog opens. */
  anchor?: HTMLElement
  /** What the field contains at first, as in "2026-11-03". */
  day?: string
  onClose: () => void
}

/** Opens a channel at a date: one of a menu, or one that is picked in a dialog. */
export default function JumpToDate({ channelId, anchor, day, onClose }: Props) {
  const [isPicking, setPicking] = useState(anchor === undefined)
  const jump = useJumpToDate(channelId)
  if (isPicking || !anchor) return <PickDate day={day} jump={jump} onClose={onClose} />
  const item = (label: string, date: Date | null): MenuItem => ({ label, onSelect: () => void jump(date) })
  const items: MenuItem[] = [
    item(i18n._('Today'), startOfDayAgo(0)),
    item(i18n._('Yesterday'), startOfDayAgo(1)),
    item(i18n._('A week ago'), startOfDayAgo(7)),
    item(i18n._('A month ago'), startOfDayAgo(0, 1)),
    item(i18n._('The beginning'), null),
    {
      label: i18n._('Choose a date…'),
      separated: true,
      staysOpen: true,
      onSelect: () => {
        // The focus returns there from the dialog.
        anchor.focus({ preventScroll: true })
        setPicking(true)
      },
    },
  ]
  return <Menu label={i18n._('Jump to a date')} items={items} anchor={anchor} onClose={onClose} />
}

interface PickDateProps {
  day: string | undefined
  jump: (day: Date) => Promise<void>
  onClose: () => void
}

function PickDate({ day, jump, onClose }: PickDateProps) {
  const [today] = useState(() => formatDayField(new Date()))
  const [value, setValue] = useState(day ?? today)
  const submit = async () => {
    const date = parseDay(value)
    if (!date) return formFailure(i18n._('Choose a date first.'), 'date')
    return success(await jump(date))
  }
  return (
    <FormDialog title={i18n._('Jump to a date')} action={i18n._('Jump')} run={submit} onClose={onClose}>
      <TimePhraseField direction="past" onTime={({ at }) => setValue(formatDayField(at))} />
      <TextField
        name="date"
        type="date"
        label={i18n._('Date')}
        value={value}
        max={today}
        onChange={setValue}
      />
    </FormDialog>
  )
}
