import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import type { Outcome } from '../../../../data/failures/failures.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Dialog } from '../../../../ui/Dialog.tsx'
import { Form } from '../../../../ui/Form.tsx'
import layout from '../../../../ui/dialogLayout.module.css'

interface Props {
  title: string
  /** States what will happen. */
  children: ReactNode
  /** Label of the button that runs the action. */
  action: string
  isDestructive?: boolean
  run: () => Promise<Outcome<unknown>>
  onClose: () => void
}

/** Confirms an action that affects other people. Stays open and shows the reason when the action fails. */
export function ConfirmDialog({ title, children, action, isDestructive = false, run, onClose }: Props) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const submit = async () => {
    if (busy) return
    setBusy(true)
    const outcome = await run()
    setBusy(false)
    if (outcome.ok) onClose()
    else setFailure(outcome.failure.message)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={failure}>
          {children}
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" variant={isDestructive ? 'danger' : 'primary'} busy={busy}>
              {action}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
