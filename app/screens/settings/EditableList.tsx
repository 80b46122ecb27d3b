import { useState, type ComponentProps, type ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import styles from './SettingsList.module.css'

/** The dialog that confirms an action and runs it. */
export type Confirmation = Omit<ComponentProps<typeof ConfirmDialog>, 'onClose'>

/** A button of an item. */
export interface ItemAction {
  text: string
  /** Accessible name, which names the item too. */
  label: string
  /** What a press does, unless a dialog confirms the action first. */
  onClick?: () => void
  confirm?: Confirmation
}

interface Props<T> {
  items: readonly T[]
  keyOf: (item: T) => string
  actions: (item: T) => readonly ItemAction[]
  /** Renders the facts about an item. */
  children: (item: T) => ReactNode
}

/** A list whose items have buttons, such as "Edit" and "Remove". Nothing if there are no items. */
export function EditableList<T>({ items, keyOf, actions, children }: Props<T>) {
  const [confirm, setConfirm] = useState<Confirmation | null>(null)
  return (
    <>
      {items.length > 0 ? (
        <ul className={styles.list}>
          {items.map((item) => (
            <li key={keyOf(item)} className={styles.row}>
              <div className={styles.details}>{children(item)}</div>
              <div className={styles.buttons}>
                {actions(item).map((action) => (
                  <Button
                    key={action.text}
                    aria-label={action.label}
                    onClick={action.confirm ? () => setConfirm(action.confirm ?? null) : action.onClick}
                  >
                    {action.text}
                  </Button>
                ))}
              </div>
            </li>
          ))}
        </ul>
      ) : null}
      {confirm ? <ConfirmDialog {...confirm} onClose={() => setConfirm(null)} /> : null}
    </>
  )
}
