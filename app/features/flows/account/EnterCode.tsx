import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Outcome } from '../../../data/failures/failures.ts'
import { verifyEmailCode, verifyPhoneCode } from '../../../data/session/signIn.ts'
import { Button } from '../../../ui/Button.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Form } from '../../../ui/Form.tsx'
import styles from './account.module.css'
import { ResendButton } from './ResendButton.tsx'
import { CodeField, isCompleteCode } from './CodeField.tsx'
import { useMailsStayLocal } from './useMailsStayLocal.ts'
import type { CodeRecipient } from '../../../historyState.ts'

interface Props {
  /** What was sent where, in a sentence. */
  lead: string
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

/** The page after a link or code was sent by email or phone, with the field for the code. */
export function EnterCode({
  lead,
  to,
  purpose = 'email',
  mailbox,
  onSubmitting,
  onDone,
  onResend,
  onBack,
}: Props) {
  const mailsStayLocal = useMailsStayLocal()
  const [code, setCode] = useState('')

  const enter = async () => {
    onSubmitting?.(true)
    const outcome = await ('email' in to
      ? verifyEmailCode(to.email, code, purpose)
      : verifyPhoneCode(to.phone, code))
    if (!outcome.ok) onSubmitting?.(false)
    return outcome
  }

  const title =
    'phone' in to
      ? i18n._('Check your phone')
      : mailsStayLocal
        ? i18n._('Enter your code')
        : i18n._('Check your email')
  return (
    <Page title={title} lead={lead}>
      <Form action={i18n._('Continue')} isDisabled={!isCompleteCode(code)} run={enter} onDone={onDone}>
        {mailbox ? (
          <p>
            <a href={mailbox} target="_blank" rel="noopener noreferrer">
              {i18n._('Open the mailbox')}
            </a>
          </p>
        ) : null}
        <CodeField value={code} onChange={setCode} autoFocus />
      </Form>
      <div className={styles.options}>
        <ResendButton by={'email' in to ? 'email' : 'phone'} resend={onResend} />
        <Button variant="quiet" onClick={onBack}>
          {'email' in to ? i18n._('Use another email') : i18n._('Use another number')}
        </Button>
      </div>
    </Page>
  )
}
