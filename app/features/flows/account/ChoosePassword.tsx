import { i18n } from '@lingui/core'
import { useState } from 'react'
import { changePassword, sendReauthenticationCode } from '../../../data/account/emailAndPassword.ts'
import { ownSessions } from '../../../data/account/ownSessions.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import styles from './account.module.css'
import { ResendButton } from './ResendButton.tsx'
import { CodeField, isCompleteCode } from './CodeField.tsx'
import { isLongEnough, NewPasswordField } from './NewPasswordField.tsx'
import { useMailsStayLocal } from './useMailsStayLocal.ts'

interface Props {
  email: string | null
  onDone: () => void
  onCancel?: () => void
}

/** Sets a password, with the proof that the server requires: the current password or an emailed code. */
export function ChoosePassword({ email, onDone, onCancel }: Props) {
  const [password, setPassword] = useState('')
  const [proof, setProof] = useState<'current' | 'nonce' | null>(null)
  const [current, setCurrent] = useState('')
  const [nonce, setNonce] = useState('')
  const mailsStayLocal = useMailsStayLocal()
  const hasOthers = useQuery(ownSessions).value?.some(({ current }) => !current) === true
  const isReady = isLongEnough(password) && (proof !== 'nonce' || isCompleteCode(nonce))

  const change = async () => {
    const outcome = await changePassword(password, { current, nonce })
    if (outcome.ok) return outcome
    const { name } = outcome.failure
    if (name === 'current_password_required') setProof('current')
    if (name !== 'reauthentication_needed') return outcome
    setProof('nonce')
    const mailed = await sendReauthenticationCode()
    return mailed.ok ? outcome : mailed
  }
  const onChanged = () => {
    setPassword('')
    setCurrent('')
    setNonce('')
    setProof(null)
    onDone()
  }

  return (
    <Form
      action={i18n._('Save password')}
      isDisabled={!isReady}
      run={change}
      onDone={onChanged}
      after={
        onCancel ? (
          <Button variant="quiet" onClick={onCancel}>
            {i18n._('Cancel')}
          </Button>
        ) : null
      }
    >
      {/* Lets password managers find the account. */}
      <input type="email" autoComplete="username" value={email ?? ''} readOnly hidden />
      {proof === 'current' ? (
        <TextField
          label={i18n._('Current password')}
          type="password"
          autoComplete="current-password"
          autoFocus
          value={current}
          onChange={setCurrent}
        />
      ) : null}
      <NewPasswordField
        label={i18n._('New password')}
        autoFocus={onCancel !== undefined}
        value={password}
        onChange={setPassword}
      />
      {proof === 'nonce' ? (
        <>
          <CodeField
            label={i18n._('Code from the email')}
            hint={
              mailsStayLocal
                ? i18n._('No mail server is set up, so ask the server’s administrator for the code.')
                : undefined
            }
            value={nonce}
            onChange={setNonce}
            autoFocus
          />
          <div className={styles.options}>
            <ResendButton by="email" resend={sendReauthenticationCode} />
          </div>
        </>
      ) : null}
      {hasOthers ? (
        <p className="muted">{i18n._('You’ll stay signed in here and be signed out everywhere else.')}</p>
      ) : null}
    </Form>
  )
}
