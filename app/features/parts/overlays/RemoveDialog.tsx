import { i18n } from '@lingui/core'
import type { ReactNode } from 'react'
import type { Outcome } from '../../../data/failures/failures.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useToast } from '../../../ui/toast.ts'
import layout from '../../../ui/dialogLayout.module.css'
import { useAction } from '../../../data/hooks/useAction.ts'

interface Props {
  title: string
  /** The consequence. */
  text: string
  /** Label of the button; default "Remove". */
  label?: string
  /** Text of the toast when it is done. */
  doneText: string
  remove: () => Promise<Outcome>
  /** Whether the button looks like it destroys something; default true. */
  isDestructive?: boolean
  onDone: () => void
  onClose: () => void
  /** Fields of the form. */
  children?: ReactNode
}

/** Confirms a removal, or another change with consequences. */
export function RemoveDialog({
  title,
  text,
  label,
  doneText,
  remove,
  isDestructive = true,
  onDone,
  onClose,
  children,
}: Props) {
  const showToast = useToast()
  const action = useAction()
  const submit = async () => {
    if (!(await action.run(remove))) return
    showToast({ text: doneText })
    onDone()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={action.failure}>
          <p>{text}</p>
          {children}
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" variant={isDestructive ? 'danger' : 'primary'} busy={action.busy}>
              {label ?? i18n._('Remove')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
