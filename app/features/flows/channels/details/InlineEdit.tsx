import { i18n } from '@lingui/core'
import { useEffect, useId, useRef, useState } from 'react'
import type { Outcome } from '../../../../data/failures/failures.ts'
import { Button } from '../../../../ui/Button.tsx'
import { cx } from '../../../../ui/cx.ts'
import { AutoGrowTextarea } from '../../../../ui/AutoGrowTextarea.tsx'
import { isComposing } from '../../../../ui/isComposing.ts'
import styles from './Details.module.css'

interface Props {
  label: string
  value: string
  /** Shown while the value is empty. */
  empty: string
  maxLength: number
  /** The value may contain line breaks: Enter inserts one, Ctrl or ⌘ with Enter saves. */
  long?: boolean
  /** It can't be cleared. */
  required?: boolean
  editable: boolean
  /** The field opens in edit mode. */
  editing?: boolean
  onSave: (value: string) => Promise<Outcome<unknown>>
}

/** Text that can be edited in place by those who have the right. */
export function InlineEdit({
  label,
  value,
  empty,
  maxLength,
  long = false,
  required = false,
  editable,
  onSave,
  editing: opensEditing = false,
}: Props) {
  const [draft, setDraft] = useState<string | null>(opensEditing ? value : null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const editing = draft !== null && editable
  const wasEditing = useRef(false)
  useEffect(() => {
    if (editing) {
      const area = field.current
      area?.focus()
      area?.setSelectionRange(area.value.length, area.value.length)
      // Otherwise the focus would be lost together with the field.
    } else if (wasEditing.current) button.current?.focus()
    wasEditing.current = editing
  }, [editing])

  const end = () => {
    setDraft(null)
    setFailure(null)
  }
  const trimmed = (draft ?? '').trim()
  const save = async () => {
    if (busy || (required && !trimmed)) return
    if (trimmed === value.trim()) return end()
    setBusy(true)
    const outcome = await onSave(trimmed)
    setBusy(false)
    if (outcome.ok) end()
    else setFailure(outcome.failure.message)
  }

  return (
    <div className={styles.field}>
      <div className={styles.fieldHead}>
        <h3 id={id} className="label">
          {label}
        </h3>
        {editable && !editing ? (
          <Button
            ref={button}
            variant="quiet"
            className={styles.edit}
            aria-label={i18n._('Edit: {label}', { label })}
            onClick={() => setDraft(value)}
          >
            {i18n._('Edit')}
          </Button>
        ) : null}
      </div>
      {editing ? (
        <>
          <div className={styles.area}>
            <AutoGrowTextarea
              ref={field}
              label={label}
              value={draft}
              maxLength={maxLength}
              aria-invalid={failure ? true : undefined}
              onChange={(text) => setDraft(long ? text : text.replace(/\s*\n\s*/g, ' '))}
              onKeyDown={(event) => {
                if (isComposing(event.nativeEvent)) return
                if (event.key === 'Enter' && (!long || event.metaKey || event.ctrlKey)) {
                  event.preventDefault()
                  void save()
                } else if (event.key === 'Escape') {
                  // Closes the field only: the dialog around it stays open.
                  event.preventDefault()
                  event.stopPropagation()
                  end()
                }
              }}
            />
          </div>
          <div role="alert">{failure ? <p className="label">{failure}</p> : null}</div>
          <div className={styles.actions}>
            {maxLength - draft.length < maxLength / 5 ? (
              <span className={styles.remaining}>
                {i18n._('{left, plural, one {# character left} other {# characters left}}', {
                  left: maxLength - draft.length,
                })}
              </span>
            ) : null}
            <Button variant="quiet" onClick={end}>
              {i18n._('Cancel')}
            </Button>
            <Button variant="primary" busy={busy} disabled={required && !trimmed} onClick={() => void save()}>
              {i18n._('Save')}
            </Button>
          </div>
        </>
      ) : (
        <p dir="auto" aria-labelledby={id} className={cx(styles.value, !value && 'muted')}>
          {value || empty}
        </p>
      )}
    </div>
  )
}
