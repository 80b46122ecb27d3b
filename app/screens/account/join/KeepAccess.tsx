import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import { addPasskey } from '../../../data/account/passkeys.ts'
import { endSignInOffer, signInOffer } from '../../../data/account/signInOffer.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useAccount } from '../../../data/session/account.ts'
import styles from '../../../features/flows/account/account.module.css'
import { ChoosePassword } from '../../../features/flows/account/ChoosePassword.tsx'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { useToast } from '../../../ui/toast.ts'

/** Offers a password or passkey to a person who has joined where no mail server is set up. Then the messenger is shown. */
export default function KeepAccess() {
  const { email } = useAccount()
  const { value: offer, failure } = useQuery(signInOffer)
  const [isSkipping, setSkipping] = useState(false)
  const passkey = useAction()
  const showToast = useToast()
  const isOver = Boolean(failure) || offer?.isNeeded === false
  useEffect(() => {
    if (isOver) endSignInOffer()
  }, [isOver])
  if (!offer?.isNeeded) return <Skeleton label={i18n._('Loading Linnet')} />
  const create = async () => {
    if (!(await passkey.run(addPasskey))) return
    showToast({ text: i18n._('Passkey added.') })
    endSignInOffer()
  }
  return (
    <Page
      title={i18n._('Choose how you’ll sign in next time')}
      lead={
        offer.hasPasskeys
          ? i18n._(
              'This server can’t send email. A passkey or a password lets you back in after you sign out.',
            )
          : i18n._('This server can’t send email. A password lets you back in after you sign out.')
      }
    >
      {offer.hasPasskeys ? (
        <>
          <div className={styles.stack}>
            <Button variant="primary" busy={passkey.busy} onClick={() => void create()}>
              {i18n._('Add a passkey')}
            </Button>
          </div>
          <p className="muted">
            {i18n._('Sign in with your fingerprint, face or device PIN. No email or password needed.')}
          </p>
          {passkey.failure ? <p role="alert">{passkey.failure}</p> : null}
          <p className={styles.separator}>{i18n._('or')}</p>
        </>
      ) : null}
      <ChoosePassword
        email={email}
        onDone={() => {
          showToast({ text: i18n._('Password saved.') })
          endSignInOffer()
        }}
      />
      <div className={styles.options}>
        <Button variant="quiet" onClick={() => setSkipping(true)}>
          {i18n._('Skip')}
        </Button>
      </div>
      {isSkipping ? (
        <ConfirmDialog
          title={i18n._('Skip this?')}
          text={i18n._(
            'Once you’re signed out, only the server’s administrator can let you back in, with a code. You can add a password or passkey later in Settings, under “Account and security”.',
          )}
          action={i18n._('Skip')}
          run={() => {
            endSignInOffer()
            return null
          }}
          onClose={() => setSkipping(false)}
        />
      ) : null}
    </Page>
  )
}
