import { FormDialog, type FormDialogProps } from './FormDialog.tsx'

interface Props<V> extends FormDialogProps<V> {
  /** What will happen. */
  text?: string
}

/**
 * Confirms an action with consequences. The button that does nothing has the focus, so that a second Enter confirms nothing.
 * `isDestructive`: the action deletes something, or takes something away from somebody.
 */
export function ConfirmDialog<V>({ text, children, ...form }: Props<V>) {
  return (
    <FormDialog {...form} focusesCancel>
      {text === undefined ? null : <p>{text}</p>}
      {children}
    </FormDialog>
  )
}
