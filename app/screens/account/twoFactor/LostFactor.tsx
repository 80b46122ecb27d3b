import { i18n } from '@lingui/core'
import { useState } from 'react'
import { refreshSession } from '../../../data/client/requestAuth.ts'
import { Button } from '../../../ui/Button.tsx'
import { useToast } from '../../../ui/toast.ts'
import styles from '../../../features/flows/account/account.module.css'

/** Explains what to do without the second factor: an emailed link alone can't replace it. */
export function LostFactor() {
  const [open, setOpen] = useState(false)
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
          <p>
            {i18n._(
              'For your security, email alone can’t unlock an account with two-factor authentication. The server’s administrator can turn it off for you. Contact them, and be ready to verify your identity.',
            )}
          </p>
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
