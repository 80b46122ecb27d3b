import { i18n } from '@lingui/core'
import { useRef, useState } from 'react'
import { formFailure } from '../../../../ui/fieldFailure.ts'
import { sendMessage } from '../../../../data/messages/messages.ts'
import type { Poll } from '../../../../../wire/messages.ts'
import { LIMITS } from '../../../../../wire/limits.ts'
import { isVisible } from '../../../../../wire/texts.ts'
import { Checkbox } from '../../../../ui/Checkbox.tsx'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import layout from '../../../../ui/dialogLayout.module.css'
import { RadioGroup } from '../../../../ui/RadioGroup.tsx'
import { TextField } from '../../../../ui/TextField.tsx'
import { isComposing } from '../../../../ui/isComposing.ts'

interface Props {
  channelId: string
  threadRoot: string | null
  /** What the fields contain at first. */
  first?: { question: string; poll: Poll }
  onClose: () => void
}

const HOUR_MS = 3_600_000
/** When a poll closes, as ms from now. */
const DURATIONS = { never: null, hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const

/** Starts a poll: question, options, and how people vote. */
export default function CreatePoll({ channelId, threadRoot, first, onClose }: Props) {
  const [question, setQuestion] = useState(first?.question ?? '')
  const [options, setOptions] = useState(first?.poll.options ?? ['', ''])
  const [multiple, setMultiple] = useState(first?.poll.multiple ?? false)
  const [anonymous, setAnonymous] = useState(first?.poll.anonymous ?? false)
  const [duration, setDuration] = useState<keyof typeof DURATIONS>('never')
  const list = useRef<HTMLOListElement>(null)
  const filled = options.map((option) => option.trim()).filter(Boolean)
  const duplicate = filled.find((option, index) => filled.findIndex((one) => isSame(one, option)) < index)

  // The last field is always empty until there are enough, so that one types on without a button.
  const setOption = (index: number, value: string) => {
    const next = options.with(index, value)
    const isFull = next.every((option) => option.trim() !== '') && next.length < LIMITS.pollOptions
    setOptions(isFull ? [...next, ''] : next)
  }

  const send = () => {
    if (!isVisible(question)) return formFailure(i18n._('Write a question first.'), 'question')
    if (filled.length < 2)
      return formFailure(
        i18n._('Write at least two options.'),
        `option ${options.findIndex((option) => option.trim() === '') + 1}`,
      )
    if (duplicate !== undefined)
      return formFailure(
        i18n._('“{option}” appears twice. Change one of them.', { option: duplicate }),
        `option ${options.findLastIndex((option) => isSame(option.trim(), duplicate)) + 1}`,
      )
    const after = DURATIONS[duration]
    const closes_at = after === null ? null : new Date(Date.now() + after).toISOString()
    return sendMessage({
      channel: channelId,
      threadRoot,
      body: question.trim(),
      extras: { poll: { options: filled, multiple, anonymous, closes_at } },
      keepsDraft: true,
    })
  }

  return (
    <FormDialog title={i18n._('Start a poll')} action={i18n._('Start poll')} run={send} onClose={onClose}>
      <TextField
        name="question"
        label={i18n._('Question')}
        value={question}
        maxLength={300}
        onChange={setQuestion}
      />
      <fieldset>
        <legend className="label">{i18n._('Options')}</legend>
        <ol ref={list} className={layout.stack}>
          {options.map((option, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- fields keep their place
            <li key={index}>
              <TextField
                name={`option ${index + 1}`}
                label={i18n._('Option {number}', { number: index + 1 })}
                hideLabel
                placeholder={i18n._('Option {number}', { number: index + 1 })}
                value={option}
                maxLength={LIMITS.pollOptionCharacters}
                onChange={(text) => setOption(index, text)}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || isComposing(event.nativeEvent) || index === options.length - 1)
                    return
                  event.preventDefault()
                  list.current?.querySelectorAll('input')[index + 1]?.focus()
                }}
              />
            </li>
          ))}
        </ol>
      </fieldset>
      <Checkbox
        label={i18n._('People can choose several options')}
        checked={multiple}
        onChange={setMultiple}
      />
      <Checkbox
        label={i18n._('Anonymous')}
        hint={i18n._('Everyone sees the results, but not who voted for what.')}
        checked={anonymous}
        onChange={setAnonymous}
      />
      <RadioGroup
        label={i18n._('Closes')}
        value={duration}
        options={[
          { value: 'never', label: i18n._('Never') },
          { value: 'hour', label: i18n._('In an hour') },
          { value: 'day', label: i18n._('In a day') },
          { value: 'week', label: i18n._('In a week') },
        ]}
        onChange={setDuration}
      />
    </FormDialog>
  )
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
