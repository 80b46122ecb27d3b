import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import { LIMITS } from '../../../../wire/limits.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useToast } from '../../../ui/toast.ts'

interface Props {
  title: string
  /** Who sees the reason. */
  hint: string
  /** Label of the button. */
  label: string
  /** Text of the toast when it is done. */
  doneText: string
  run: (reason: string) => Promise<Outcome<unknown>>
  onDone?: (() => void) | undefined
  onClose: () => void
  children?: ReactNode
}

/** Confirms an action on somebody else, which needs a reason. */
export function ReasonDialog({ title, hint, label, doneText, run, onDone, onClose, children }: Props) {
  const showToast = useToast()
  const [reason, setReason] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async () => {
    if (busy) return
    setBusy(true)
    const outcome = await run(reason)
    setBusy(false)
    if (!outcome.ok) return setFailure(outcome.failure.message)
    onClose()
    showToast({ text: doneText })
    onDone?.()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={failure}>
          {children}
          <TextField
            label={i18n._('Reason')}
            hint={hint}
            autoComplete="off"
            required
            maxLength={LIMITS.reasonCharacters}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" variant="danger" busy={busy}>
              {label}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
