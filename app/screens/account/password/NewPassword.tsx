import { i18n } from '@lingui/core'
import { Redirect, useLocation } from 'wouter'
import { useAccount } from '../../../data/session/account.ts'
import { useToast } from '../../../ui/toast.ts'
import { Page } from '../../../ui/Page.tsx'
import { ChoosePassword } from '../../../features/account/ChoosePassword.tsx'
import TwoFactorPage from '../twoFactor/TwoFactorPage.tsx'

/** Sets a password after an emailed link has identified the account. */
export default function NewPassword() {
  const account = useAccount()
  const showToast = useToast()
  const [, navigate] = useLocation()
  if (account.status === 'signed-out') return <Redirect to="/forgotten" replace />
  if (account.status === 'mfa-required') return <TwoFactorPage />
  return (
    <Page title={i18n._('Choose a new password')} lead={account.email}>
      <ChoosePassword
        email={account.email}
        onDone={() => {
          showToast({ text: i18n._('Password changed.') })
          navigate('/', { replace: true })
        }}
      />
    </Page>
  )
}
