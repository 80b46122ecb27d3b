import { useState, type ComponentProps, type ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { useAction, type Run } from '../../ui/useAction.ts'
import styles from './SettingsList.module.css'

/** The dialog that confirms an action and runs it. */
export type Confirmation = Omit<ComponentProps<typeof ConfirmDialog>, 'onClose'>

/** A button of an item. */
export interface ItemAction {
  text: string
  /** Accessible name, which names the item too. */
  label: string
  /** What a press does: it opens something, runs an action, or opens a dialog that confirms the action. */
  onClick?: () => void
  run?: Run<unknown>
  confirm?: Confirmation
}

interface Props<T> {
  items: readonly T[]
  keyOf: (item: T) => string
  actions: (item: T) => readonly ItemAction[]
  /** Renders the facts about an item. */
  children: (item: T) => ReactNode
}

/** A list whose items have buttons, such as "Edit" and "Remove", and the failure of the last action. */
export function EditableList<T>({ items, keyOf, actions, children }: Props<T>) {
  const [confirm, setConfirm] = useState<Confirmation | null>(null)
  const state = useAction()
  const press = ({ onClick, run, confirm: confirmation }: ItemAction) => {
    if (confirmation) setConfirm(confirmation)
    else if (run) void state.run(run)
    else onClick?.()
  }
  return (
    <>
      {items.length > 0 ? (
        <ul className={styles.list}>
          {items.map((item) => (
            <li key={keyOf(item)} className={styles.row}>
              <div className={styles.details}>{children(item)}</div>
              <div className={styles.buttons}>
                {actions(item).map((action) => (
                  <Button key={action.text} aria-label={action.label} onClick={() => press(action)}>
                    {action.text}
                  </Button>
                ))}
              </div>
            </li>
          ))}
        </ul>
      ) : null}
      {state.failure ? <p role="alert">{state.failure}</p> : null}
      {confirm ? <ConfirmDialog {...confirm} onClose={() => setConfirm(null)} /> : null}
    </>
  )
}
