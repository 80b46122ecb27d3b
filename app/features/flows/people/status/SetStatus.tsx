import { i18n } from '@lingui/core'
import { useState } from 'react'
import { usePresenceChoice, useStatus } from '../../../../data/people/people.ts'
import { setStatus } from '../../../../data/people/profile.ts'
import { Checkbox } from '../../../../ui/Checkbox.tsx'
import { RadioGroup } from '../../../../ui/RadioGroup.tsx'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import { TextField } from '../../../../ui/TextField.tsx'
import { EmojiField } from '../../../parts/emoji/EmojiField.tsx'
import { useMe } from '../../../parts/members/MeContext.ts'
import styles from './SetStatus.module.css'
import { endOf, statusSpans, statusSuggestions, type Span } from './durations.ts'
import { expiryText } from './expiryText.ts'

/** Limit of the database. */
const MAX_CHARACTERS = 100

/** Sets the user's own status: text, emoji and expiry. */
export default function SetStatus({ onClose }: { onClose: () => void }) {
  const { id } = useMe().profile
  const status = useStatus(id)
  const isDnd = usePresenceChoice(id) === 'dnd'
  const expiresAt = status?.status_expires_at ?? null
  const [emoji, setEmoji] = useState(status?.status_emoji ?? null)
  const [text, setText] = useState(status?.status_text ?? '')
  const [span, setSpan] = useState<Span | 'kept'>(expiresAt ? 'kept' : status ? 'open' : 'hour')
  const [setsDnd, setSetsDnd] = useState(false)
  const empty = !emoji && !text.trim()
  const save = () =>
    setStatus({ emoji, text: text.trim() || null, until: span === 'kept' ? expiresAt : endOf(span) }, setsDnd)

  return (
    <FormDialog
      title={i18n._('Your status')}
      action={i18n._('Save')}
      run={save}
      isDisabled={empty}
      {...(status && {
        secondAction: { label: i18n._('Clear status'), run: () => setStatus(null, setsDnd) },
      })}
      onClose={onClose}
    >
      <div className={styles.fields}>
        <EmojiField emoji={emoji} onPick={setEmoji} />
        <TextField
          label={i18n._('Status')}
          hideLabel
          placeholder={i18n._('What are you up to?')}
          value={text}
          maxLength={MAX_CHARACTERS}
          onChange={setText}
        />
      </div>
      {text ? null : (
        <ul className={styles.suggestions} aria-label={i18n._('Suggestions')}>
          {statusSuggestions().map((one) => (
            <li key={one.emoji}>
              <button
                type="button"
                className={styles.suggestion}
                onClick={() => {
                  setEmoji(one.emoji)
                  setText(one.text)
                  setSpan(one.span)
                }}
              >
                <span className={styles.emoji}>{one.emoji}</span>
                <span>{one.text}</span>
                <span className={styles.span}>{labelOf(one.span)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {empty ? null : (
        <RadioGroup<Span | 'kept'>
          label={i18n._('Clear after')}
          value={span}
          options={[
            ...(expiresAt ? [{ value: 'kept' as const, label: capitalize(expiryText(expiresAt)) }] : []),
            ...statusSpans(),
          ]}
          onChange={setSpan}
        />
      )}
      {empty || isDnd ? null : (
        <Checkbox
          label={i18n._('Also turn on “Do not disturb”')}
          hint={i18n._('Others will see that you don’t want to be disturbed.')}
          checked={setsDnd}
          onChange={setSetsDnd}
        />
      )}
    </FormDialog>
  )
}

function labelOf(span: Span): string {
  return statusSpans().find((one) => one.value === span)?.label ?? ''
}

function capitalize(text: string): string {
  return text.slice(0, 1).toLocaleUpperCase() + text.slice(1)
}
