import { i18n } from '@lingui/core'
import { Button } from '../../../ui/Button.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { ActionsMenu } from './ActionsMenu.tsx'
import styles from './SelectionActions.module.css'

/** More actions than this are in a menu. */
const MAX_BUTTONS = 2

interface Props {
  label: string
  /** Of selected items; nothing is shown without. */
  count: number
  actions: MenuItem[]
  /** Why actions are missing. */
  note?: string | null
  onClear: () => void
}

/** The actions for all selected items of a list. */
export function SelectionActions({ label, count, actions, note, onClear }: Props) {
  if (count === 0) return null
  return (
    <div className={styles.actions} role="group" aria-label={label}>
      <span className={styles.count}>{i18n._('{count} selected', { count })}</span>
      {note ? <p>{note}</p> : null}
      {actions.length > MAX_BUTTONS ? (
        <ActionsMenu label={i18n._('Actions')} items={actions} />
      ) : (
        actions.map((action) => (
          <Button key={action.label} onClick={action.onSelect}>
            {action.label}
          </Button>
        ))
      )}
      <Button variant="quiet" onClick={onClear}>
        {i18n._('Clear selection')}
      </Button>
    </div>
  )
}
