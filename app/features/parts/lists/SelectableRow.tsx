import type { ReactNode } from 'react'
import styles from './SelectableRow.module.css'

/** Of the list around the rows. */
export const selectableListClass = styles.list

interface Props {
  picture: ReactNode
  name: string
  facts: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  /** Controls at the end of the row. */
  children?: ReactNode
}

/** A row with a checkbox, so that one action changes all selected ones. */
export function SelectableRow({ picture, name, facts, checked, onChange, children }: Props) {
  return (
    <li className={styles.row}>
      <label className={styles.label}>
        <input
          type="checkbox"
          checked={checked}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {picture}
        <span className={styles.details}>
          <bdi className={styles.name}>{name}</bdi>
          <span className={styles.facts}>{facts}</span>
        </span>
      </label>
      {children}
    </li>
  )
}
