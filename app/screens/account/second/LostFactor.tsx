import { i18n } from '@lingui/core'
import { useState } from 'react'
import { renewSession } from '../../../data/account/askAuth.ts'
import { Button } from '../../../ui/Button.tsx'
import { useNotice } from '../../../ui/notice.ts'
import styles from '../account.module.css'

/** What can be done without the second step, said as it is: its keeper alone can't go round it. */
export function LostFactor() {
  const [open, setOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  const notice = useNotice()
  const look = async () => {
    setBusy(true)
    const outcome = await renewSession()
    setBusy(false)
    // Where nothing is asked for any more, this page is gone by now.
    notice({ words: outcome.ok ? i18n._('Your account still asks for it.') : outcome.failure.sentence })
  }
  return (
    <>
      <Button look="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
        {i18n._('I can’t do this any more')}
      </Button>
      {open ? (
        <div className={styles.card}>
          <p>
            {i18n._(
              'Your mailbox alone doesn’t open an account that has a second step: it would protect nothing otherwise. Whoever runs this Linnet’s server can take it off your account, on the owner’s page there. Ask them, and show them that it’s you.',
            )}
          </p>
          <div>
            <Button busy={busy} onClick={() => void look()}>
              {i18n._('It was taken off')}
            </Button>
          </div>
        </div>
      ) : null}
    </>
  )
}
