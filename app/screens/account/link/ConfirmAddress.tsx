import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Link } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { confirmEmailChangeByLink } from '../../../data/account/emailAndPassword.ts'
import { useAccount } from '../../../data/session/account.ts'
import { Form } from '../../../ui/Form.tsx'
import { useToast } from '../../../ui/toast.ts'
import { Page } from '../../../ui/Page.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { useOnceLoaded } from '../useOnceLoaded.ts'
import { MessagePage } from '../../../features/flows/account/MessagePage.tsx'

/**
 * The page of the emailed link of an address change; it confirms on a click only, because mail scanners open links.
 */
export function ConfirmAddress({ tokenHash }: { tokenHash: string }) {
  const showToast = useToast()
  const account = useAccount()
  const [half, setHalf] = useState(false)
  const [changed, setChanged] = useState(false)
  const action = useAction()
  const confirm = async () => {
    const outcome = await action.run(() => confirmEmailChangeByLink(tokenHash))
    if (!outcome) return
    if (outcome.value === 'more') return setHalf(true)
    // The link creates no session: it may belong to another account.
    if (account.status === 'signed-out') return setChanged(true)
    showToast({ text: i18n._('Email address updated.') })
    navigate(pathTo('securitySettings'), { replace: true })
  }
  // Where it leads depends on who is signed in here.
  const pressing = useOnceLoaded(() => void confirm())
  if (half) return <OneAddressConfirmed />
  if (changed) {
    return (
      <MessagePage
        title={i18n._('Email address updated')}
        lead={i18n._('From now on, sign in with your new address.')}
        to="signIn"
      />
    )
  }
  return (
    <Page title={i18n._('Change your email')} lead={i18n._('Press the button to confirm this address.')}>
      <Form
        action={i18n._('Confirm')}
        failure={action.failure}
        isBusy={action.busy || pressing.isWaiting}
        run={pressing.run}
      />
      {action.failure ? <Link href={pathTo('securitySettings')}>{i18n._('Go to your settings')}</Link> : null}
    </Page>
  )
}

/** One of the two addresses is confirmed. */
export function OneAddressConfirmed() {
  return (
    <MessagePage
      title={i18n._('One address confirmed')}
      lead={i18n._('Now open the link we sent to the other address. Nothing changes until you do.')}
      to="securitySettings"
    />
  )
}
