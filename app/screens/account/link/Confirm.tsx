import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Link } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { usePageQuery } from '../../../ui/pageAddress.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useAccount } from '../../../data/session/account.ts'
import { internalPath } from '../../../data/session/internalPath.ts'
import { isSameAddress } from '../../../data/session/offeredSession.ts'
import { confirmLink, type SignedIn } from '../../../data/session/signIn.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { Page } from '../../../ui/Page.tsx'
import { ConfirmAddress } from './ConfirmAddress.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { useOnceLoaded } from '../useOnceLoaded.ts'
import { invitationIn, Join } from '../join/Join.tsx'
import { readFormInput } from '../../../features/flows/account/formInput.ts'
import { emailInFragment } from './emailInFragment.ts'
import { OtherAccount, switchSentence } from './OtherAccount.tsx'
import { MessagePage } from '../../../features/flows/account/MessagePage.tsx'

/** The page of an emailed link. It signs in on a click only: mail scanners open links, but click nothing. */
export default function Confirm() {
  const params = usePageQuery()
  const account = useAccount()
  const action = useAction()
  const [result, setResult] = useState<SignedIn | null>(null)
  const tokenHash = params.get('token_hash')
  const type = params.get('type') ?? 'email'
  const next = internalPath(params.get('next'))
  const named = emailInFragment(location.hash)
  const invitation = invitationIn(next)
  const continueTo = (path: string) => navigate(path, { replace: true })
  const confirm = async () => {
    if (!tokenHash) return
    const outcome = await action.run(() => confirmLink({ tokenHash, type, next, named }))
    if (outcome?.value?.offered) setResult(outcome.value)
    else if (outcome?.value) continueTo(outcome.value.next)
  }
  const switches = account.email !== null && named !== null && !isSameAddress(account.email, named)
  const pressing = useOnceLoaded((wasWaiting) => {
    // The page shows the other account first.
    if (!(wasWaiting && switches)) void confirm()
  })

  if (!tokenHash) {
    return (
      <MessagePage
        title={i18n._('This link is incomplete')}
        lead={i18n._('Copy the full link from the email, or request a new one.')}
        to="signIn"
      />
    )
  }
  if (type === 'email_change') return <ConfirmAddress tokenHash={tokenHash} />
  if (invitation) return <Join token={invitation} link={{ tokenHash, type, next, named }} />

  if (result?.offered) {
    return <OtherAccount session={result.offered} onAccepted={() => continueTo(result.next)} />
  }
  const recovery = type === 'recovery'
  // The first owner has entered everything: this click creates the workspace.
  const setup = /^\/setup\b/.test(next) ? readFormInput('setup') : null
  const email = named === null ? null : isolateBidi(named)
  const currentEmail = account.email === null ? null : isolateBidi(account.email)
  return (
    <Page
      title={
        switches
          ? i18n._('Switch accounts?')
          : recovery
            ? i18n._('Reset your password')
            : setup
              ? i18n._('Create {workspace}', { workspace: setup.workspace })
              : i18n._('Sign in to Linnet')
      }
      lead={
        switches && currentEmail !== null
          ? switchSentence(currentEmail, email ?? '')
          : recovery
            ? i18n._('You opened the link from the email. Press the button to choose a new password.')
            : setup
              ? i18n._('You opened the link from the email. Press the button to create your workspace.')
              : i18n._('You opened a sign-in link. Press the button to sign in.')
      }
    >
      <Form
        action={
          switches
            ? i18n._('Sign in as {email}', { email })
            : setup
              ? i18n._('Create workspace')
              : i18n._('Continue')
        }
        failure={action.failure}
        isBusy={action.busy || pressing.isWaiting}
        run={pressing.run}
        after={
          switches ? (
            <Button onClick={() => continueTo(pathTo('home'))}>
              {i18n._('Stay signed in as {email}', { email: currentEmail })}
            </Button>
          ) : null
        }
      >
        {email !== null && !switches ? (
          <p className="muted">{i18n._('You’ll be signed in as {email}.', { email })}</p>
        ) : null}
      </Form>
      {action.failure ? <Link href={pathTo('signIn')}>{i18n._('Get a new link')}</Link> : null}
    </Page>
  )
}
