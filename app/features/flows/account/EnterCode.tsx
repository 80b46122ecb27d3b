import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Outcome } from '../../../data/failures/failures.ts'
import { verifyEmailCode, verifyPhoneCode } from '../../../data/session/signIn.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import styles from './account.module.css'
import { ResendButton } from './ResendButton.tsx'
import { CodeField, isCompleteCode } from './CodeField.tsx'
import { useAction } from '../../../data/hooks/useAction.ts'
import { useMailsStayLocal } from './useMailsStayLocal.ts'
import type { CodeRecipient } from '../../../historyState.ts'

interface Props {
  /** Where the code was sent. */
  to: CodeRecipient
  /** What the email is for. */
  purpose?: 'email' | 'recovery'
  /** URL of the mailbox while no mail server is set up; null otherwise. */
  mailbox?: string | null
  /** Called with true while a code is being checked: the sign-in that follows belongs to this tab. */
  onSubmitting?: (submitCode: boolean) => void
  onDone: () => void
  /** Requests another code. */
  onResend: () => Promise<Outcome>
  onBack: () => void
}

/** The code field after a link or code was sent by email or phone. */
export function EnterCode({ to, purpose = 'email', mailbox, onSubmitting, onDone, onResend, onBack }: Props) {
  const mailsStayLocal = useMailsStayLocal()
  const [code, setCode] = useState('')
  const action = useAction()

  const enter = async () => {
    if (!isCompleteCode(code)) return
    const submitCode = () =>
      'email' in to ? verifyEmailCode(to.email, code, purpose) : verifyPhoneCode(to.phone, code)
    onSubmitting?.(true)
    if (await action.run(submitCode)) onDone()
    else onSubmitting?.(false)
  }

  return (
    <Form onSubmit={() => void enter()} failure={action.failure}>
      {mailbox ? (
        <p>
          <a href={mailbox} target="_blank" rel="noopener noreferrer">
            {i18n._('Open the mailbox')}
          </a>
        </p>
      ) : null}
      <CodeField value={code} onChange={setCode} />
      <Button type="submit" variant="primary" busy={action.busy} disabled={!isCompleteCode(code)}>
        {i18n._('Continue')}
      </Button>
      <div className={styles.options}>
        {'email' in to ? (
          <ResendButton
            label={mailsStayLocal ? i18n._('Get a new code') : i18n._('Resend email')}
            sentText={
              mailsStayLocal
                ? i18n._('A new code is in the server’s mailbox.')
                : i18n._('We sent another email.')
            }
            resend={onResend}
          />
        ) : (
          <ResendButton
            label={i18n._('Resend code')}
            sentText={i18n._('We sent another code.')}
            resend={onResend}
          />
        )}
        <Button variant="quiet" onClick={onBack}>
          {'email' in to ? i18n._('Use another email') : i18n._('Use another number')}
        </Button>
      </div>
    </Form>
  )
}
