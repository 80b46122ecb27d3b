import type { ReactNode } from 'react'
import styles from './FilteredList.module.css'

interface Props {
  /** Accessible name of the filters. */
  label: string
  /** The fields of the filters, of which `useFilters` has the values. */
  filters: ReactNode
  /** How many items match; null while that is not known. */
  count?: string | null
  /** Beside the number of items. */
  actions?: ReactNode
  /** The list. */
  children: ReactNode
}

/** A list below its filters, with the number of items that match them. */
export function FilteredList({ label, filters, count, actions, children }: Props) {
  return (
    <div className={styles.filtered}>
      <search className={styles.filters} aria-label={label}>
        {filters}
      </search>
      {count === undefined ? null : (
        <div className={styles.line}>
          <p role="status" className="note">
            {count}
          </p>
          {actions}
        </div>
      )}
      {children}
    </div>
  )
}
