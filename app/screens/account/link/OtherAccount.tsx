import { i18n } from '@lingui/core'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useAccount } from '../../../data/session/account.ts'
import type { OfferedSession } from '../../../data/session/offeredSession.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { Page } from '../../../ui/Page.tsx'

interface Props {
  session: OfferedSession
  /** Called once the session is stored in this browser. */
  onAccepted: () => void
}

/** Names the account of a used link, and signs in only when the reader agrees. */
export function OtherAccount({ session, onAccepted }: Props) {
  const account = useAccount()
  const email = isolateBidi(session.email ?? i18n._('an account without an email address'))
  const currentEmail = account.email === null ? null : isolateBidi(account.email)
  const decline = () => {
    void session.decline()
    navigate(currentEmail === null ? pathTo('signIn') : pathTo('home'), { replace: true })
  }
  return (
    <Page
      title={currentEmail === null ? i18n._('Is this your account?') : i18n._('Switch accounts?')}
      lead={
        currentEmail === null
          ? i18n._(
              'This link signs you in as {email}. If that isn’t your account, someone may be trying to get you to use theirs.',
              {
                email,
              },
            )
          : switchSentence(currentEmail, email)
      }
    >
      <Form
        action={i18n._('Sign in as {email}', { email })}
        run={session.accept}
        onDone={onAccepted}
        after={
          <Button onClick={decline}>
            {currentEmail === null
              ? i18n._('Cancel')
              : i18n._('Stay signed in as {email}', { email: currentEmail })}
          </Button>
        }
      />
    </Page>
  )
}

/** Explains that a link signs in as another account. Both addresses have to be isolated. */
export function switchSentence(currentEmail: string, email: string): string {
  return i18n._(
    'You’re signed in as {present}. This link signs you in as {email}. If that isn’t your account, someone may be trying to get you to use theirs.',
    { present: currentEmail, email },
  )
}
