import type { FormEventHandler, ReactNode, Ref } from 'react'
import { FieldFailureContext, type FieldFailure } from './fieldFailure.ts'
import styles from './Form.module.css'

interface Props {
  onSubmit: () => void
  /** The error of the whole form, announced when it appears; or of one field, which shows it. */
  failure?: string | FieldFailure | null
  children: ReactNode
  /** Buttons below the error. */
  footer?: ReactNode
  ref?: Ref<HTMLFormElement>
  onFocus?: FormEventHandler<HTMLFormElement>
  onInput?: FormEventHandler<HTMLFormElement>
}

/** A form with fields in a column; Enter in any of them submits. */
export function Form({ onSubmit, failure, children, footer, ...rest }: Props) {
  const ofField = typeof failure === 'object' ? failure : null
  return (
    <form
      {...rest}
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        // React also calls the handler of a form around the portal of a dialog, such as the composer.
        event.stopPropagation()
        onSubmit()
      }}
    >
      <FieldFailureContext value={ofField}>{children}</FieldFailureContext>
      <div role="alert">{failure && !ofField ? <p className={styles.error}>{String(failure)}</p> : null}</div>
      {footer}
    </form>
  )
}
