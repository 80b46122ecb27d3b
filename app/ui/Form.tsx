import type { ReactNode } from 'react'
import styles from './Form.module.css'

interface Props {
  onSubmit: () => void
  /** The error of the whole form, announced when it appears. */
  failure?: string | null
  children: ReactNode
}

/** A form with fields in a column; Enter in any of them submits. */
export function Form({ onSubmit, failure, children }: Props) {
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
      <div role="alert">{failure ? <p className={styles.error}>{failure}</p> : null}</div>
    </form>
  )
}
