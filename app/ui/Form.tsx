import {
  useEffect,
  useRef,
  type FocusEventHandler,
  type FormEventHandler,
  type ReactNode,
  type RefObject,
} from 'react'
import { Button } from './Button.tsx'
import { FieldFailureContext } from './fieldFailure.ts'
import styles from './Form.module.css'
import { useToast } from './toast.ts'
import { useAction, type Action, type Run } from './useAction.ts'

export interface FormProps<V> {
  children?: ReactNode
  /** Label of the button that submits. Null: there is nothing to submit, and no button. */
  action: string | null
  /** The action. If it fails, the form shows why. */
  run: Run<V>
  /** The text of a toast after the action. */
  doneText?: string | undefined
  /** Called after the action. */
  onDone?: ((value: V) => void) | undefined
  /** Names of fields by the names of the failures that they cause. The field shows the failure and takes the focus. */
  fields?: Record<string, string>
  /** A failure that occurred before the form was submitted. */
  failure?: string | null | undefined
  isDisabled?: boolean
  isBusy?: boolean
  isDestructive?: boolean
}

interface Props<V> extends FormProps<V> {
  /** The state of the action, if other controls run it too. */
  state?: Action
  /** Buttons before the button that submits. */
  before?: ReactNode
  /** Buttons after the button that submits. */
  after?: ReactNode
  /** The appearance of the button that submits, if it is not the main action of the page. */
  variant?: 'plain'
  /** Whether the button that submits has the focus first. */
  autoFocus?: boolean
  /** The class of the element with the buttons. */
  buttonsClass?: string | undefined
  ref?: RefObject<HTMLFormElement | null>
  onFocus?: FocusEventHandler<HTMLFormElement>
  onInput?: FormEventHandler<HTMLFormElement>
}

/** A form with fields in a column and an action; Enter in any field submits. It shows a failure until the next input. */
export function Form<V>({
  children,
  action: label,
  run,
  doneText,
  onDone,
  fields,
  failure: earlierFailure,
  isDisabled = false,
  isBusy = false,
  isDestructive = false,
  state,
  before,
  after,
  variant,
  autoFocus = false,
  buttonsClass = styles.buttons,
  ref,
  onFocus,
  onInput,
}: Props<V>) {
  const showToast = useToast()
  const ownState = useAction()
  const action = state ?? ownState
  const ownRef = useRef<HTMLFormElement>(null)
  const form = ref ?? ownRef
  const { refused } = action
  const field = refused?.field || fields?.[refused?.name ?? '']
  const failure = refused?.message ?? earlierFailure

  useEffect(() => {
    if (refused && field) form.current?.querySelector<HTMLElement>(`[name="${field}"]`)?.focus()
  }, [form, refused, field])

  const submit = async () => {
    const done = await action.run(run)
    if (!done) return
    onDone?.(done.value)
    if (doneText) showToast({ text: doneText })
  }

  return (
    <form
      ref={form}
      className={styles.form}
      noValidate
      onFocus={onFocus}
      onInput={(event) => {
        action.clearFailure()
        onInput?.(event)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        // React also calls the handler of a form around the portal of a dialog, such as the composer.
        event.stopPropagation()
        // A form with one field submits without a button too.
        if (label !== null && !isDisabled && !isBusy) void submit()
      }}
    >
      <FieldFailureContext value={refused && field ? { field, message: refused.message } : null}>
        {children}
      </FieldFailureContext>
      <div role="alert">{failure && !field ? <p className={styles.error}>{failure}</p> : null}</div>
      {label === null && !before && !after ? null : (
        <div className={buttonsClass}>
          {before}
          {label === null ? null : (
            <Button
              type="submit"
              variant={isDestructive ? 'danger' : (variant ?? 'primary')}
              busy={action.busy || isBusy}
              disabled={isDisabled}
              autoFocus={autoFocus}
            >
              {label}
            </Button>
          )}
          {after}
        </div>
      )}
    </form>
  )
}
