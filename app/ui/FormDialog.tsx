import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { createPortal, flushSync } from 'react-dom'
import { closeOnBack } from '../historyState.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import layout from './dialogLayout.module.css'
import { FIELD } from './field.ts'
import { Form, type FormProps } from './Form.tsx'
import styles from './FormDialog.module.css'
import { useAction, type Action, type Run } from './useAction.ts'
import { PHONE } from './useMedia.ts'

export interface FormDialogProps<V> extends FormProps<V> {
  title: string
  action: string
  onClose: () => void
  /** Whether the reader has chosen something that closing would discard. Text in fields is recognized without it. */
  hasChoices?: boolean
  /** Label of the button that closes the dialog without the action; default "Cancel". */
  cancelLabel?: string
  /** A second action, whose button replaces "Cancel". Null: no button. */
  secondAction?: { label: string; run: Run<V> } | null
  /** Whether the button that closes the dialog gets the focus first. */
  focusesCancel?: boolean
  position?: 'middle' | 'top'
  /** The state of the action, if other controls run it too. */
  state?: Action
  /** Content below the form, with controls of its own. */
  below?: ReactNode
}

/**
 * A dialog with fields and an action. Escape, a click outside, the close button and "back" ask before they discard what the
 * reader has typed.
 */
export function FormDialog<V>({
  title,
  onDone,
  onClose,
  hasChoices = false,
  cancelLabel,
  secondAction,
  focusesCancel = false,
  position = 'middle',
  state,
  below,
  ...rest
}: FormDialogProps<V>) {
  const form = useRef<HTMLFormElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  const [firstTexts] = useState(() => new Map<HTMLInputElement, string>())
  const [isTyped, setTyped] = useState(false)
  const [isClosing, setClosing] = useState(false)
  const ownState = useAction()
  const action = state ?? ownState
  const busy = action.busy || rest.isBusy === true

  useLayoutEffect(() => {
    if (form.current?.querySelector(FIELD)) return
    // The browser focuses the close button.
    const first = focusesCancel
      ? cancel.current
      : form.current?.querySelector<HTMLElement>('input, select, button')
    first?.focus({ preventScroll: true })
  }, [focusesCancel])

  const close = () => {
    const hasText = [...firstTexts].some(([field, text]) => field.isConnected && field.value !== text)
    if (hasText || hasChoices) setClosing(true)
    else onClose()
  }
  const closeFromBack = useEffectEvent(close)
  // On a phone every dialog does this.
  const guardsBack = (isTyped || hasChoices) && !matchMedia(PHONE).matches
  useEffect(() => (guardsBack ? closeOnBack(() => closeFromBack()) : undefined), [guardsBack])

  const finish = (value: V) => {
    // The dialog returns the focus before what follows moves it.
    flushSync(onClose)
    onDone?.(value)
  }
  const runSecond = async ({ run }: { run: Run<V> }) => {
    const done = await action.run(run)
    if (done) finish(done.value)
  }

  // In the body: a dialog may be rendered within another form, such as the composer. Chromium stops the event of a form within
  // a form, so that React would not receive it and the browser would load the page again.
  return createPortal(
    <>
      <Dialog title={title} position={position} onClose={close}>
        <div className={layout.body}>
          <Form
            {...rest}
            ref={form}
            state={action}
            onDone={finish}
            onFocus={({ target }) => {
              if (isTextField(target) && !firstTexts.has(target)) firstTexts.set(target, target.value)
            }}
            onInput={({ target }) => {
              if (isTextField(target)) setTyped(true)
            }}
            buttonsClass={styles.footer}
            before={
              secondAction === null ? null : (
                <Button
                  ref={cancel}
                  variant="quiet"
                  busy={secondAction !== undefined && busy}
                  onClick={secondAction ? () => void runSecond(secondAction) : onClose}
                >
                  {secondAction?.label ?? cancelLabel ?? i18n._('Cancel')}
                </Button>
              )
            }
          />
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
