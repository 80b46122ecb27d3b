import { i18n } from '@lingui/core'
import { useState } from 'react'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { TextField } from '../../../ui/TextField.tsx'
import { loadTimePhraseParser, type TimePhrase } from './loadTimePhraseParser.ts'

/** A field for a time in words. It calls `onTime` with each time that it recognises. */
export function TimePhraseField({ onTime }: { onTime: (phrase: TimePhrase) => void }) {
  const [typed, setTyped] = useState('')
  const [recognised, setRecognised] = useState<TimePhrase | null>(null)
  const change = async (text: string) => {
    setTyped(text)
    const parse = await loadTimePhraseParser()
    const phrase = parse(text)
    setRecognised(phrase)
    if (phrase) onTime(phrase)
  }
  const hint =
    typed.trim() === ''
      ? i18n._('For example “next Monday at nine” or “in 20 minutes”.')
      : recognised
        ? formatDayAndTime(recognised.at.toISOString())
        : i18n._('Linnet doesn’t recognize this time. Choose it below.')
  return (
    <TextField
      label={i18n._('Time in words')}
      value={typed}
      hint={hint}
      maxLength={100}
      onChange={(text) => void change(text)}
    />
  )
}
