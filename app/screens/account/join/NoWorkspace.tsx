import { i18n } from '@lingui/core'
import { useLocation } from 'wouter'
import { signOut, useAccount } from '../../../data/session/account.ts'
import { Button } from '../../../ui/Button.tsx'
import { Page } from '../../../ui/Page.tsx'

/** Shown when the user is signed in but has no workspace. */
export default function NoWorkspace() {
  const account = useAccount()
  const [, navigate] = useLocation()
  return (
    <Page
      title={i18n._('You’re not in a workspace yet')}
      lead={i18n._(
        'You’re signed in as {email}. Ask a member for an invitation, or open one you’ve already received.',
        { email: account.email ?? '' },
      )}
    >
      <div>
        <Button onClick={() => void signOut().then(() => navigate('/sign-in'))}>{i18n._('Sign out')}</Button>
      </div>
    </Page>
  )
}
