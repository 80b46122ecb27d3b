import { i18n } from '@lingui/core'
import { useState } from 'react'
import { formatDate, formatDayAndTime } from '../../../ui/dates.ts'
import { TextField } from '../../../ui/TextField.tsx'
import { loadTimePhraseParser, type TimePhrase } from './loadTimePhraseParser.ts'

interface Props {
  /** `future` (the default): times to come. `past`: earlier days, whose hint has no time. */
  direction?: 'future' | 'past'
  onTime: (phrase: TimePhrase) => void
}

/** A field for a time or a past day in words. It calls `onTime` with each time that it recognises. */
export function TimePhraseField({ direction = 'future', onTime }: Props) {
  const isPast = direction === 'past'
  const [typed, setTyped] = useState('')
  const [recognised, setRecognised] = useState<TimePhrase | null>(null)
  const change = async (text: string) => {
    setTyped(text)
    const parse = await loadTimePhraseParser()
    const phrase = parse(text, new Date(), direction)
    setRecognised(phrase)
    if (phrase) onTime(phrase)
  }
  const hint =
    typed.trim() === ''
      ? isPast
        ? i18n._('For example “last Monday”, “3 weeks ago” or “March 9”.')
        : i18n._('For example “next Monday at nine” or “in 20 minutes”.')
      : recognised
        ? (isPast ? formatDate : formatDayAndTime)(recognised.at.toISOString())
        : isPast
          ? i18n._('Linnet doesn’t recognize this date. Choose it below.')
          : i18n._('Linnet doesn’t recognize this time. Choose it below.')
  return (
    <TextField
      label={isPast ? i18n._('Date in words') : i18n._('Time in words')}
      value={typed}
      hint={hint}
      maxLength={100}
      onChange={(text) => void change(text)}
    />
  )
}
