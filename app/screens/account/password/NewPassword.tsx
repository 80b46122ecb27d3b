import { i18n } from '@lingui/core'
import { Redirect, useLocation } from 'wouter'
import { useAccount } from '../../../data/session/account.ts'
import { useNotice } from '../../../ui/notice.ts'
import { Page } from '../../../ui/Page.tsx'
import { ChoosePassword } from './ChoosePassword.tsx'
import SecondFactor from '../second/SecondFactor.tsx'

/** Chooses a password, after a mailed link has shown whose account it is. */
export default function NewPassword() {
  const account = useAccount()
  const notice = useNotice()
  const [, navigate] = useLocation()
  if (account.status === 'signed-out') return <Redirect to="/forgotten" replace />
  if (account.status === 'half') return <SecondFactor />
  return (
    <Page title={i18n._('Choose a new password')} lead={account.email}>
      <ChoosePassword
        email={account.email}
        onDone={() => {
          notice({ words: i18n._('Password changed.') })
          navigate('/', { replace: true })
        }}
      />
    </Page>
  )
}
