import { i18n } from '@lingui/core'
import { Link, useLocation, useSearch } from 'wouter'
import { confirmLink } from '../../../data/session/signIn.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { Page } from '../../../ui/Page.tsx'
import { ConfirmAddress } from './ConfirmAddress.tsx'
import { useAction } from '../useAction.ts'
import { invitationIn, Join } from '../join/Join.tsx'
import { keptEntries } from '../keptEntries.ts'
import { pathWithin } from '../pathWithin.ts'

/** Where a mailed link lands. It signs in on a press only: mail scanners open links, but press nothing. */
export default function Confirm() {
  const [, navigate] = useLocation()
  const params = new URLSearchParams(useSearch())
  const action = useAction()
  const tokenHash = params.get('token_hash')
  const type = params.get('type') ?? 'email'
  const next = pathWithin(params.get('next'))
  const invitation = invitationIn(next)

  if (!tokenHash) {
    return (
      <Page
        title={i18n._('This link is incomplete')}
        lead={i18n._('Copy the full link from the email, or request a new one.')}
      >
        <Link href="/sign-in">{i18n._('Sign in')}</Link>
      </Page>
    )
  }
  const link = { tokenHash, type, next }
  if (type === 'email_change') return <ConfirmAddress tokenHash={tokenHash} />
  if (invitation) return <Join token={invitation} link={link} />

  const confirm = async () => {
    const done = await action.run(() => confirmLink(link))
    if (done?.value) navigate(pathWithin(done.value), { replace: true })
  }
  const recovery = type === 'recovery'
  // The first owner has entered everything; this press creates the workspace.
  const setup = /^\/setup\b/.test(next) ? keptEntries('setup') : null
  return (
    <Page
      title={
        recovery
          ? i18n._('Reset your password')
          : setup
            ? i18n._('Create {workspace}', { workspace: setup.workspace })
            : i18n._('Sign in to Linnet')
      }
      lead={
        recovery
          ? i18n._('You opened the link from the email. Press the button to choose a new password.')
          : setup
            ? i18n._('You opened the link from the email. Press the button to create your workspace.')
            : i18n._('You opened the link from the email. Press the button to sign in.')
      }
    >
      <Form onSubmit={() => void confirm()} failure={action.failure}>
        <Button type="submit" look="primary" busy={action.busy}>
          {setup ? i18n._('Create workspace') : i18n._('Continue')}
        </Button>
        {action.failure ? <Link href="/sign-in">{i18n._('Get a new link')}</Link> : null}
      </Form>
    </Page>
  )
}
