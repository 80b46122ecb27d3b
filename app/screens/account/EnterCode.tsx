import { i18n } from '@lingui/core'
import { useState } from 'react'
import { enterCode } from '../../data/session/signIn.ts'
import { Button } from '../../ui/Button.tsx'
import { Form } from '../../ui/Form.tsx'
import { TextField } from '../../ui/TextField.tsx'
import styles from './account.module.css'
import { useAction } from './useAction.ts'

interface Props {
  email: string
  /** What the mail was asked for. */
  purpose?: 'email' | 'recovery'
  /** Where mail arrives while no mail server is set up; null otherwise. */
  mailbox?: string | null
  onDone: () => void
  /** Asks for another mail; false when that failed. */
  onAgain: () => void
  onBack: () => void
}

/** The second step of signing in by mail: the six digits, or the link in the same mail. */
export function EnterCode({ email, purpose = 'email', mailbox, onDone, onAgain, onBack }: Props) {
  const [code, setCode] = useState('')
  const action = useAction()
  const digits = code.replaceAll(/\D/g, '')

  const enter = async () => {
    if (digits.length === 6 && (await action.run(() => enterCode(email, digits, purpose)))) onDone()
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
      <TextField
        label={i18n._('6-digit code')}
        value={code}
        inputMode="numeric"
        autoComplete="one-time-code"
        pattern="[0-9 ]*"
        maxLength={9}
        dir="ltr"
        className={styles.code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <Button type="submit" look="primary" busy={action.busy} disabled={digits.length !== 6}>
        {i18n._('Continue')}
      </Button>
      <div className={styles.ways}>
        <Button look="quiet" onClick={onAgain}>
          {i18n._('Send another mail')}
        </Button>
        <Button look="quiet" onClick={onBack}>
          {i18n._('Use another address')}
        </Button>
      </div>
    </Form>
  )
}
