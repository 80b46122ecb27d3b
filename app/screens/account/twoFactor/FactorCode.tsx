import { i18n } from '@lingui/core'
import { useState } from 'react'
import { challengeFactor } from '../../../data/account/factors.ts'
import type { Factor } from '../../../data/account/ownAccount.ts'
import { success } from '../../../data/failures/failures.ts'
import { Form } from '../../../ui/Form.tsx'
import styles from '../../../features/flows/account/account.module.css'
import { ResendButton } from '../../../features/flows/account/ResendButton.tsx'
import { lastDigits } from '../../../features/flows/account/factorName.ts'
import { FactorCodeForm } from '../../../features/flows/account/FactorCodeForm.tsx'

/** Asks for the code of an authenticator app or of a text message. */
export function FactorCode({ factor, chosen }: { factor: Factor; chosen: boolean }) {
  const [challenge, setChallenge] = useState<string | null>(null)
  const phone = factor.factor_type === 'phone'

  const send = async () => {
    const outcome = await challengeFactor(factor.id)
    if (!outcome.ok) return outcome
    setChallenge(outcome.value)
    return success(undefined)
  }

  if (phone && !challenge) {
    return (
      <Form action={i18n._('Send code')} autoFocus={chosen} run={send}>
        <p>
          {i18n._('We’ll text a code to the number ending in {digits}.', {
            digits: lastDigits(factor.phone),
          })}
        </p>
      </Form>
    )
  }
  return (
    <>
      <FactorCodeForm
        factor={factor.id}
        challenge={challenge}
        action={i18n._('Continue')}
        hint={
          phone ? i18n._('We’ve texted you a code.') : i18n._('Enter the code from your authenticator app.')
        }
        autoFocus={chosen || phone}
      />
      {phone ? (
        <div className={styles.options}>
          <ResendButton by="phone" resend={send} />
        </div>
      ) : null}
    </>
  )
}
