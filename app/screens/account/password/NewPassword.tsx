import { i18n } from '@lingui/core'
import { Redirect } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { useAccount } from '../../../data/session/account.ts'
import { useToast } from '../../../ui/toast.ts'
import { Page } from '../../../ui/Page.tsx'
import { ChoosePassword } from '../../../features/flows/account/ChoosePassword.tsx'
import TwoFactorPage from '../twoFactor/TwoFactorPage.tsx'

/** Sets a password after an emailed link has identified the account. */
export default function NewPassword() {
  const account = useAccount()
  const showToast = useToast()
  if (account.status === 'signed-out') return <Redirect to={pathTo('forgottenPassword')} />
  if (account.status === 'mfa-required') return <TwoFactorPage />
  return (
    <Page title={i18n._('Choose a new password')} lead={account.email}>
      <ChoosePassword
        email={account.email}
        onDone={() => {
          showToast({ text: i18n._('Password changed.') })
          navigate(pathTo('home'), { replace: true })
        }}
      />
    </Page>
  )
}
