import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { normalizeEmailAddress } from '../../../../wire/emailAddress.ts'
import { requestPasswordReset } from '../../../data/session/signIn.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useToast } from '../../../ui/toast.ts'
import { Page } from '../../../ui/Page.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import styles from '../../../features/flows/account/account.module.css'
import { EnterCode } from '../../../features/flows/account/EnterCode.tsx'
import { requestCode } from '../requestCode.ts'
import { useAction } from '../../../data/hooks/useAction.ts'
import { useMailsStayLocal } from '../../../features/flows/account/useMailsStayLocal.ts'
import { useCodeRecipient } from '../../../features/flows/account/useCodeRecipient.ts'

/** Requests an email that permits setting a new password. */
export default function ForgottenPassword() {
  const [email, setEmail] = useState('')
  const [sent, setSent, clearSent] = useCodeRecipient()
  const action = useAction()
  const showToast = useToast()
  const mailsStayLocal = useMailsStayLocal()
  const address = email.trim()

  const submit = async () => {
    if (normalizeEmailAddress(address) === null) return
    const sendCode = () => requestPasswordReset(address)
    if (await action.run(() => requestCode(sendCode, showToast))) setSent({ email: address })
  }

  if (sent && 'email' in sent) {
    return (
      <Page
        title={mailsStayLocal ? i18n._('Enter your code') : i18n._('Check your email')}
        lead={
          mailsStayLocal
            ? i18n._(
                'No mail server is set up. If {address} has an account, ask the server’s administrator for the code. If that’s you, the terminal shows the link to the mailbox.',
                { address: sent.email },
              )
            : i18n._(
                'If {address} has an account, we’ve sent it an email. Open the link, or enter the code here.',
                { address: sent.email },
              )
        }
      >
        <EnterCode
          to={sent}
          purpose="recovery"
          onDone={() => navigate(pathTo('newPassword'))}
          onResend={() => requestPasswordReset(sent.email)}
          onBack={clearSent}
        />
      </Page>
    )
  }

  return (
    <Page
      title={i18n._('Forgot password?')}
      lead={
        mailsStayLocal
          ? i18n._('No mail server is set up, so you’ll get the code from the server’s administrator.')
          : i18n._('We’ll email you a link and a code to reset it.')
      }
    >
      <Form onSubmit={() => void submit()} failure={action.failure}>
        <TextField
          label={i18n._('Email address')}
          type="email"
          inputMode="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="primary"
          busy={action.busy}
          disabled={normalizeEmailAddress(address) === null}
        >
          {mailsStayLocal ? i18n._('Get a code') : i18n._('Send reset link')}
        </Button>
        <div className={styles.options}>
          <Button onClick={() => navigate(pathTo('signIn'))} variant="quiet">
            {i18n._('Back to sign in')}
          </Button>
        </div>
      </Form>
    </Page>
  )
}
