import { i18n } from '@lingui/core'
import { useState } from 'react'
import { challengeFactor, verifyFactorCode } from '../../../data/account/factors.ts'
import type { Factor } from '../../../data/account/ownAccount.ts'
import { success } from '../../../data/failures/failures.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import styles from '../../../features/flows/account/account.module.css'
import { ResendButton } from '../../../features/flows/account/ResendButton.tsx'
import { CodeField, isCompleteCode } from '../../../features/flows/account/CodeField.tsx'
import { useAction } from '../../../data/hooks/useAction.ts'
import { lastDigits } from '../../../features/flows/account/factorName.ts'

/** Asks for the code of an authenticator app or of a text message. */
export function FactorCode({ factor, chosen }: { factor: Factor; chosen: boolean }) {
  const [code, setCode] = useState('')
  const [challenge, setChallenge] = useState<string | null>(null)
  const action = useAction()
  const phone = factor.factor_type === 'phone'

  const send = async () => {
    const outcome = await challengeFactor(factor.id)
    if (!outcome.ok) return outcome
    setChallenge(outcome.value)
    return success(undefined)
  }
  const enter = async () => {
    if (!isCompleteCode(code)) return
    if (!(await action.run(() => verifyFactorCode(factor.id, challenge, code)))) setCode('')
  }

  if (phone && !challenge) {
    return (
      <Form onSubmit={() => void action.run(send)} failure={action.failure}>
        <p>
          {i18n._('We’ll text a code to the number ending in {digits}.', {
            digits: lastDigits(factor.phone),
          })}
        </p>
        <Button type="submit" variant="primary" busy={action.busy} autoFocus={chosen}>
          {i18n._('Send code')}
        </Button>
      </Form>
    )
  }
  return (
    <Form onSubmit={() => void enter()} failure={action.failure}>
      <CodeField
        hint={
          phone ? i18n._('We’ve texted you a code.') : i18n._('Enter the code from your authenticator app.')
        }
        value={code}
        onChange={setCode}
        autoFocus={chosen || phone}
      />
      <Button type="submit" variant="primary" busy={action.busy} disabled={!isCompleteCode(code)}>
        {i18n._('Continue')}
      </Button>
      {phone ? (
        <div className={styles.options}>
          <ResendButton
            label={i18n._('Resend code')}
            sentText={i18n._('We sent another code.')}
            resend={send}
          />
        </div>
      ) : null}
    </Form>
  )
}
