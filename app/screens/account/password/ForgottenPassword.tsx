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
import { useMailsStayLocal } from '../../../features/flows/account/useMailsStayLocal.ts'
import { MessagePage } from '../../../features/flows/account/MessagePage.tsx'
import { signInMethods } from '../../../data/account/signInMethods.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useCodeRecipient } from '../../../features/flows/account/useCodeRecipient.ts'
import { useLinnetCommand } from '../../../features/parts/server/useLinnetCommand.ts'

/** Requests an email that permits setting a new password. */
export default function ForgottenPassword() {
  const [email, setEmail] = useState('')
  const [sent, setSent, clearSent] = useCodeRecipient()
  const showToast = useToast()
  const mailsStayLocal = useMailsStayLocal()
  const linnet = useLinnetCommand()
  const address = email.trim()
  const { value: methods } = useQuery(signInMethods)

  if (methods?.mailedCodes === false) {
    return (
      <MessagePage
        title={i18n._('Forgot password?')}
        lead={i18n._(
          'This server sends no sign-in emails. Use a passkey if you have one, or ask an owner of your workspace for help.',
        )}
        to="signIn"
      />
    )
  }
  if (sent && 'email' in sent) {
    return (
      <EnterCode
        lead={
          mailsStayLocal
            ? i18n._(
                'No mail server is set up. If {address} has an account, ask the server’s administrator for the code. If that’s you, “{linnet} mailbox” on the server prints it.',
                { address: sent.email, linnet },
              )
            : i18n._(
                'If {address} has an account, we’ve sent it an email. Open the link, or enter the code here.',
                { address: sent.email },
              )
        }
        to={sent}
        purpose="recovery"
        onDone={() => navigate(pathTo('newPassword'))}
        onResend={() => requestPasswordReset(sent.email)}
        onBack={clearSent}
      />
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
      <Form
        action={mailsStayLocal ? i18n._('Get a code') : i18n._('Send reset link')}
        isDisabled={normalizeEmailAddress(address) === null}
        run={() => requestCode(() => requestPasswordReset(address), showToast)}
        onDone={() => setSent({ email: address })}
      >
        <TextField
          label={i18n._('Email address')}
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
        />
      </Form>
      <div className={styles.options}>
        <Button onClick={() => navigate(pathTo('signIn'))} variant="quiet">
          {i18n._('Back to sign in')}
        </Button>
      </div>
    </Page>
  )
}
