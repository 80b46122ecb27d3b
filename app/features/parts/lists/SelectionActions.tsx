import { i18n } from '@lingui/core'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/Button.tsx'
import styles from './SelectionActions.module.css'

interface Props {
  label: string
  /** Of selected items; nothing is shown without. */
  count: number
  onClear: () => void
  children: ReactNode
}

/** The buttons for all selected items of a list. */
export function SelectionActions({ label, count, onClear, children }: Props) {
  if (count === 0) return null
  return (
    <div className={styles.actions} role="group" aria-label={label}>
      <span className={styles.count}>{i18n._('{count} selected', { count })}</span>
      {children}
      <Button variant="quiet" onClick={onClear}>
        {i18n._('Clear selection')}
      </Button>
    </div>
  )
}
