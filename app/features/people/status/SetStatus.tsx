import { i18n } from '@lingui/core'
import SmilePlus from 'lucide-react/icons/smile-plus'
import { Suspense, useCallback, useState } from 'react'
import { useSaid, useStatus } from '../../../data/people/people.ts'
import { setStatus } from '../../../data/people/profile.ts'
import { Button } from '../../../ui/Button.tsx'
import { Check } from '../../../ui/Check.tsx'
import { Choice } from '../../../ui/Choice.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import sheet from '../../../ui/Sheet.module.css'
import { TextField } from '../../../ui/TextField.tsx'
import { useMe } from '../MeContext.ts'
import styles from './SetStatus.module.css'
import { endOf, statusSpans, statusSuggestions, type Span } from './statusChoices.ts'
import { untilWord } from './untilWord.ts'
import { lazily } from '../../../ui/lazily.tsx'

const EmojiPicker = lazily(() => import('../../message/reactions/emoji/EmojiPicker.tsx'))

/** As the database holds it. */
const CHARACTERS = 100

/** A few words beside one's name, with an emoji and an end. */
export default function SetStatus({ onClose }: { onClose: () => void }) {
  const { id } = useMe().profile
  const status = useStatus(id)
  const quietNow = useSaid(id) === 'dnd'
  const kept = status?.status_expires_at ?? null
  const [emoji, setEmoji] = useState(status?.status_emoji ?? null)
  const [text, setText] = useState(status?.status_text ?? '')
  const [span, setSpan] = useState<Span | 'kept'>(kept ? 'kept' : status ? 'open' : 'hour')
  const [quiet, setQuiet] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const empty = !emoji && !text.trim()

  const ask = async (wish: Parameters<typeof setStatus>[0]) => {
    setBusy(true)
    setFailure(null)
    const outcome = await setStatus(wish, quiet)
    setBusy(false)
    if (outcome.ok) onClose()
    else setFailure(outcome.failure.sentence)
  }
  const save = () => {
    if (empty || busy) return
    const until = span === 'kept' ? kept : endOf(span)
    void ask({ emoji, text: text.trim() || null, until })
  }

  return (
    <Dialog title={i18n._('Your status')} onClose={onClose}>
      <div className={sheet.body}>
        <Form onSubmit={save} failure={failure}>
          <div className={styles.words}>
            <EmojiField emoji={emoji} onPick={setEmoji} />
            <TextField
              label={i18n._('Status')}
              hideLabel
              placeholder={i18n._('What are you up to?')}
              value={text}
              maxLength={CHARACTERS}
              autoComplete="off"
              onChange={(event) => setText(event.currentTarget.value)}
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
            <Choice<Span | 'kept'>
              label={i18n._('Clear after')}
              value={span}
              options={[
                ...(kept ? [{ value: 'kept' as const, label: sentence(untilWord(kept)) }] : []),
                ...statusSpans(),
              ]}
              onChange={setSpan}
            />
          )}
          {empty || quietNow ? null : (
            <Check
              label={i18n._('Also turn on Do not disturb')}
              hint={i18n._('Others will see that you’re not to be disturbed.')}
              checked={quiet}
              onChange={setQuiet}
            />
          )}
          <div className={sheet.foot}>
            {status ? (
              <Button look="quiet" busy={busy} onClick={() => void ask(null)}>
                {i18n._('Clear status')}
              </Button>
            ) : null}
            <Button type="submit" look="primary" busy={busy} disabled={empty}>
              {i18n._('Save')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}

function labelOf(span: Span): string {
  return statusSpans().find((one) => one.value === span)?.label ?? ''
}

function sentence(words: string): string {
  return words.slice(0, 1).toLocaleUpperCase() + words.slice(1)
}

/** The emoji, on a button that opens the board. */
function EmojiField({ emoji, onPick }: { emoji: string | null; onPick: (emoji: string) => void }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = useCallback(() => setAnchor(null), [])
  return (
    <>
      <button
        type="button"
        className={styles.pick}
        aria-label={emoji ? i18n._('Emoji: {emoji}', { emoji }) : i18n._('Choose an emoji')}
        aria-haspopup="true"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {emoji ?? <Icon of={SmilePlus} size={20} />}
      </button>
      {anchor ? (
        <Suspense>
          <EmojiPicker anchor={anchor} onPick={onPick} onClose={close} />
        </Suspense>
      ) : null}
    </>
  )
}
