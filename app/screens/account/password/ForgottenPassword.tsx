import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { askForNewPassword } from '../../../data/session/signIn.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useNotice } from '../../../ui/notice.ts'
import { Page } from '../../../ui/Page.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import styles from '../account.module.css'
import { EnterCode } from '../enter/EnterCode.tsx'
import { sentLately } from '../sentLately.ts'
import { useAction } from '../useAction.ts'
import { useSentTo } from '../useSentTo.ts'

/** Asks for a mail that permits choosing a new password. */
export default function ForgottenPassword() {
  const [, navigate] = useLocation()
  const [email, setEmail] = useState('')
  const [sent, setSent, forgetSent] = useSentTo()
  const action = useAction()
  const notice = useNotice()
  const address = email.trim()

  const submit = async () => {
    if (!address.includes('@')) return
    const ask = () => askForNewPassword(address)
    if (await action.run(() => sentLately(ask, notice))) setSent({ email: address })
  }

  if (sent && 'email' in sent) {
    return (
      <Page
        title={i18n._('Check your mail')}
        lead={i18n._(
          'If {address} has an account, a mail is on its way. Open its link, or type its code here.',
          {
            address: sent.email,
          },
        )}
      >
        <EnterCode
          to={sent}
          purpose="recovery"
          onDone={() => navigate('/new-password')}
          again={() => askForNewPassword(sent.email)}
          onBack={forgetSent}
        />
      </Page>
    )
  }

  return (
    <Page
      title={i18n._('Forgotten password')}
      lead={i18n._('We send you a link and a code to choose a new one.')}
    >
      <Form onSubmit={() => void submit()} failure={action.failure}>
        <TextField
          label={i18n._('E-mail address')}
          type="email"
          inputMode="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" look="primary" busy={action.busy} disabled={!address.includes('@')}>
          {i18n._('Send the mail')}
        </Button>
        <div className={styles.ways}>
          <Link href="/sign-in" asChild>
            <Button look="quiet">{i18n._('Back to signing in')}</Button>
          </Link>
        </div>
      </Form>
    </Page>
  )
}
