import { i18n } from '@lingui/core'
import { useState, type ComponentProps } from 'react'
import { LIMITS } from '../../../../wire/limits.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { TextField } from '../../../ui/TextField.tsx'

interface Props extends Omit<ComponentProps<typeof ConfirmDialog>, 'run'> {
  /** Who sees the reason. */
  hint: string
  run: (reason: string) => Promise<Outcome<unknown>>
}

/** Confirms an action on somebody else, which needs a reason. */
export function ReasonDialog({ hint, run, children, ...confirm }: Props) {
  const [reason, setReason] = useState('')
  return (
    <ConfirmDialog {...confirm} isDestructive fields={{ bad_reason: 'reason' }} run={() => run(reason)}>
      {children}
      <TextField
        name="reason"
        label={i18n._('Reason')}
        hint={hint}
        required
        maxLength={LIMITS.reasonCharacters}
        value={reason}
        onChange={setReason}
      />
    </ConfirmDialog>
  )
}
