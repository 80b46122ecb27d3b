import { i18n } from '@lingui/core'
import { useState } from 'react'
import { removeFactorsByCode } from '../../../data/account/recoveryCodes.ts'
import { refreshSession } from '../../../data/client/requestAuth.ts'
import styles from '../../../features/flows/account/account.module.css'
import { navigate } from '../../../historyState.ts'
import { pathTo } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useToast } from '../../../ui/toast.ts'

/** Lets people in without the second factor: by a recovery code, or after an administrator has removed it. */
export function LostFactor() {
  const [open, setOpen] = useState(false)
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState(false)
  const showToast = useToast()
  const checkAgain = async () => {
    setBusy(true)
    const outcome = await refreshSession()
    setBusy(false)
    // If the account no longer requires it, this page has disappeared already.
    showToast({
      text: outcome.ok
        ? i18n._('Two-factor authentication is still on for your account.')
        : outcome.failure.message,
    })
  }
  return (
    <>
      <Button variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
        {i18n._('I’ve lost access to my second factor')}
      </Button>
      {open ? (
        <div className={styles.card}>
          <Form
            action={i18n._('Use recovery code')}
            variant="plain"
            fields={{ recovery_code_wrong: 'recovery-code' }}
            isDisabled={code.trim() === ''}
            run={() => removeFactorsByCode(code)}
            doneText={i18n._('Your second factor was removed. Set up a new one.')}
            onDone={() => navigate(pathTo('securitySettings'))}
          >
            <TextField
              name="recovery-code"
              label={i18n._('Recovery code')}
              hint={i18n._('It removes your second factor and signs out your other devices.')}
              maxLength={60}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              dir="ltr"
              value={code}
              onChange={setCode}
            />
          </Form>
          <div>
            {i18n._(
              'No code? Email alone can’t unlock an account with two-factor authentication. The server’s administrator can turn it off for you. Contact them, and be ready to verify your identity.',
            )}
          </div>
          <div>
            <Button busy={busy} onClick={() => void checkAgain()}>
              {i18n._('Check again')}
            </Button>
          </div>
        </div>
      ) : null}
    </>
  )
}
