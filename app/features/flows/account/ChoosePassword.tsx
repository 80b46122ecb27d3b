import { i18n } from '@lingui/core'
import { useState } from 'react'
import { changePassword, sendReauthenticationCode } from '../../../data/account/emailAndPassword.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import styles from './account.module.css'
import { ResendButton } from './ResendButton.tsx'
import { CodeField, isCompleteCode } from './CodeField.tsx'
import { useAction } from '../../../data/hooks/useAction.ts'
import { useMailsStayLocal } from './useMailsStayLocal.ts'

/** Minimum length of a password. */
const MIN_CHARACTERS = 8

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
  const action = useAction()
  const mailsStayLocal = useMailsStayLocal()
  const isReady = password.length >= MIN_CHARACTERS && (proof !== 'nonce' || isCompleteCode(nonce))

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
  const submit = async () => {
    if (!isReady || !(await action.run(change))) return
    setPassword('')
    setCurrent('')
    setNonce('')
    setProof(null)
    onDone()
  }

  const saveButton = (
    <Button type="submit" variant="primary" busy={action.busy} disabled={!isReady}>
      {i18n._('Save password')}
    </Button>
  )
  return (
    <Form onSubmit={() => void submit()} failure={action.failure}>
      {/* Lets password managers find the account. */}
      <input type="email" autoComplete="username" value={email ?? ''} readOnly hidden />
      {proof === 'current' ? (
        <TextField
          label={i18n._('Current password')}
          type="password"
          autoComplete="current-password"
          autoFocus
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
      ) : null}
      <TextField
        label={i18n._('New password')}
        hint={i18n._('At least {count} characters. A few random words work well.', { count: MIN_CHARACTERS })}
        type="password"
        autoComplete="new-password"
        autoFocus={onCancel !== undefined}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
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
            <ResendButton
              label={mailsStayLocal ? i18n._('Get a new code') : i18n._('Resend email')}
              sentText={
                mailsStayLocal
                  ? i18n._('A new code is in the server’s mailbox.')
                  : i18n._('We sent another email.')
              }
              resend={sendReauthenticationCode}
            />
          </div>
        </>
      ) : null}
      <p className={styles.muted}>
        {i18n._('You’ll stay signed in here and be signed out everywhere else.')}
      </p>
      {onCancel ? (
        <div className={styles.line}>
          {saveButton}
          <Button variant="quiet" onClick={onCancel}>
            {i18n._('Cancel')}
          </Button>
        </div>
      ) : (
        saveButton
      )}
    </Form>
  )
}
