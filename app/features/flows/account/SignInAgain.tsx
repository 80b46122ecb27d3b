import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import {
  reauthenticateByCode,
  reauthenticateByPasskey,
  reauthenticateByPassword,
  sendCode,
  type CodeAddress,
  type ReauthenticationMethod,
  type ReauthenticationMethods,
} from '../../../data/account/reauthenticationMethods.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import styles from './account.module.css'
import { CodeField, isCompleteCode } from './CodeField.tsx'
import { ResendButton } from './ResendButton.tsx'
import { useMailsStayLocal } from './useMailsStayLocal.ts'

/** What a dialog adds to each form. */
export interface FormParts {
  onDone: () => void
  before: ReactNode
  buttonsClass: string | undefined
}

interface Props extends FormParts {
  method: ReauthenticationMethod
  account: ReauthenticationMethods
}

/** The form by which the user signs in to their account again. */
export function SignInAgain({ method, account, ...form }: Props) {
  if (method === 'password') return <ByPassword email={account.email} {...form} />
  if (method === 'code') return account.codeAddress ? <ByCode to={account.codeAddress} {...form} /> : null
  return (
    <Form {...form} action={i18n._('Use a passkey')} autoFocus run={reauthenticateByPasskey}>
      <p>{i18n._('Your browser asks for your passkey.')}</p>
    </Form>
  )
}

function ByPassword({ email, ...form }: FormParts & { email: string }) {
  const [password, setPassword] = useState('')
  return (
    <Form
      {...form}
      action={i18n._('Confirm')}
      isDisabled={password === ''}
      run={() => reauthenticateByPassword(email, password)}
    >
      {/* Lets password managers find the account. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField
        label={i18n._('Password')}
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={setPassword}
      />
    </Form>
  )
}

function ByCode({ to, onDone, ...form }: FormParts & { to: CodeAddress }) {
  const mailsStayLocal = useMailsStayLocal()
  const [isSent, setSent] = useState(false)
  const [code, setCode] = useState('')
  const address = isolateBidi('email' in to ? to.email : to.phone)
  if (!isSent) {
    return (
      <Form
        {...form}
        action={i18n._('Send code')}
        autoFocus
        run={() => sendCode(to)}
        onDone={() => setSent(true)}
      >
        <p>
          {'email' in to && mailsStayLocal
            ? i18n._('No mail server is set up, so you’ll get the code from the server’s administrator.')
            : i18n._('We’ll send a code to {address}.', { address })}
        </p>
      </Form>
    )
  }
  const enter = async () => {
    const outcome = await reauthenticateByCode(to, code)
    if (!outcome.ok) setCode('')
    return outcome
  }
  return (
    <>
      <Form
        {...form}
        action={i18n._('Confirm')}
        isDisabled={!isCompleteCode(code)}
        run={enter}
        onDone={onDone}
      >
        <CodeField
          hint={
            'email' in to && mailsStayLocal
              ? i18n._('No mail server is set up, so ask the server’s administrator for the code.')
              : i18n._('We’ve sent a code to {address}.', { address })
          }
          value={code}
          onChange={setCode}
          autoFocus
        />
      </Form>
      <div className={styles.options}>
        <ResendButton by={'email' in to ? 'email' : 'phone'} resend={() => sendCode(to)} />
      </div>
    </>
  )
}
