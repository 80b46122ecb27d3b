import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { closeOnBack } from '../historyState.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import layout from './dialogLayout.module.css'
import { FIELD } from './field.ts'
import type { FieldFailure } from './fieldFailure.ts'
import { Form } from './Form.tsx'
import styles from './FormDialog.module.css'
import { useToast } from './toast.ts'
import { PHONE } from './useMedia.ts'

/** The outcome of a form's action. A failure may name the field that caused it. */
export type FormOutcome<V> =
  | { ok: true; value: V }
  | { ok: false; failure: { message: string; name?: string; field?: string } }

type Run<V> = () => FormOutcome<V> | null | undefined | Promise<FormOutcome<V> | null | undefined>

export interface FormDialogProps<V> {
  title: string
  children?: ReactNode
  /** Label of the button that submits. */
  action: string
  /** The action. If it succeeds, the dialog closes; if it fails, the dialog shows why; without an outcome it stays open. */
  run: Run<V>
  /** The text of a toast after the action. */
  doneText?: string | undefined
  /** Called after the action, once the dialog is closed. */
  onDone?: ((value: V) => void) | undefined
  onClose: () => void
  /** Names of fields by the names of the failures that they cause. The field shows the failure and takes the focus. */
  fields?: Record<string, string>
  /** A failure that occurred before the form was submitted. */
  failure?: string | null | undefined
  isDisabled?: boolean
  isBusy?: boolean
  isDestructive?: boolean
  /** Whether the reader has chosen something that closing would discard. Text in fields is recognized without it. */
  hasChoices?: boolean
  /** Label of the button that closes the dialog without the action; default "Cancel". */
  cancelLabel?: string
  /** A second action, whose button replaces "Cancel". Null: no button. */
  secondAction?: { label: string; run: Run<V> } | null
  /** Whether the button that closes the dialog gets the focus first. */
  focusesCancel?: boolean
  position?: 'middle' | 'top'
  /** Content below the form, with controls of its own. */
  below?: ReactNode
}

/**
 * A dialog with fields and an action. Escape, a click outside, the close button and "back" ask before they discard what the
 * reader has typed.
 */
export function FormDialog<V>({
  title,
  children,
  action,
  run,
  doneText,
  onDone,
  onClose,
  fields,
  failure: earlierFailure,
  isDisabled = false,
  isBusy = false,
  isDestructive = false,
  hasChoices = false,
  cancelLabel,
  secondAction,
  focusesCancel = false,
  position = 'middle',
  below,
}: FormDialogProps<V>) {
  const showToast = useToast()
  const form = useRef<HTMLFormElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  const [firstTexts] = useState(() => new Map<HTMLInputElement, string>())
  const [isTyped, setTyped] = useState(false)
  const [isClosing, setClosing] = useState(false)
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<string | FieldFailure | null>(null)
  const busy = isRunning || isBusy

  useLayoutEffect(() => {
    if (form.current?.querySelector(FIELD)) return
    // The browser focuses the close button.
    const first = focusesCancel
      ? cancel.current
      : form.current?.querySelector<HTMLElement>('input, select, button')
    first?.focus({ preventScroll: true })
  }, [focusesCancel])
  useEffect(() => {
    if (typeof failure === 'object' && failure)
      form.current?.querySelector<HTMLElement>(`[name="${failure.field}"]`)?.focus()
  }, [failure])

  const close = () => {
    const hasText = [...firstTexts].some(([field, text]) => field.isConnected && field.value !== text)
    if (hasText || hasChoices) setClosing(true)
    else onClose()
  }
  const closeFromBack = useEffectEvent(close)
  // On a phone every dialog does this.
  const guardsBack = (isTyped || hasChoices) && !matchMedia(PHONE).matches
  useEffect(() => (guardsBack ? closeOnBack(() => closeFromBack()) : undefined), [guardsBack])

  const submit = async (start: Run<V>) => {
    if (busy) return
    setRunning(true)
    setFailure(null)
    const outcome = await start()
    setRunning(false)
    if (outcome?.ok === false) {
      const { message, name = '', field = fields?.[name] } = outcome.failure
      return setFailure(field ? { field, message } : message)
    }
    if (!outcome) return
    onClose()
    if (doneText && start === run) showToast({ text: doneText })
    onDone?.(outcome.value)
  }

  // In the body: a dialog may be rendered within another form, such as the composer. Chromium stops the event of a form within
  // a form, so that React would not receive it and the browser would load the page again.
  return createPortal(
    <>
      <Dialog title={title} position={position} onClose={close}>
        <div className={layout.body}>
          <Form
            ref={form}
            failure={failure ?? earlierFailure ?? null}
            onSubmit={() => void submit(run)}
            onFocus={({ target }) => {
              if (isTextField(target) && !firstTexts.has(target)) firstTexts.set(target, target.value)
            }}
            onInput={({ target }) => {
              if (isTextField(target)) setTyped(true)
              setFailure(null)
            }}
            footer={
              <div className={styles.footer}>
                {secondAction === null ? null : (
                  <Button
                    ref={cancel}
                    variant="quiet"
                    busy={busy && secondAction !== undefined}
                    onClick={secondAction ? () => void submit(secondAction.run) : onClose}
                  >
                    {secondAction?.label ?? cancelLabel ?? i18n._('Cancel')}
                  </Button>
                )}
                <Button
                  type="submit"
                  variant={isDestructive ? 'danger' : 'primary'}
                  busy={busy}
                  disabled={isDisabled}
                >
                  {action}
                </Button>
              </div>
            }
          >
            {children}
          </Form>
          {below}
        </div>
      </Dialog>
      {isClosing ? <Discard onKeep={() => setClosing(false)} onDiscard={onClose} /> : null}
    </>,
    document.body,
  )
}

function Discard({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  const keep = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => keep.current?.focus({ preventScroll: true }), [])
  return (
    <Dialog title={i18n._('Discard your changes?')} onClose={onKeep}>
      <div className={layout.body}>
        <p>{i18n._('What you entered here isn’t saved.')}</p>
        <div className={styles.footer}>
          <Button ref={keep} variant="quiet" onClick={onKeep}>
            {i18n._('Keep editing')}
          </Button>
          <Button variant="danger" onClick={onDiscard}>
            {i18n._('Discard')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Whether this is a field of text that a form saves: no filter of a list, and no slider. */
function isTextField(target: EventTarget): target is HTMLInputElement {
  return (
    target instanceof HTMLElement && target.matches(FIELD) && !target.matches('[type=search], [type=range]')
  )
}
