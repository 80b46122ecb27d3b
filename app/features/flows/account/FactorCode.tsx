import { i18n } from '@lingui/core'
import { useState, type ComponentProps } from 'react'
import { challengeFactor } from '../../../data/account/factors.ts'
import type { Factor } from '../../../data/account/ownAccount.ts'
import { success } from '../../../data/failures/failures.ts'
import { Form } from '../../../ui/Form.tsx'
import styles from './account.module.css'
import { ResendButton } from './ResendButton.tsx'
import { lastDigits } from './factorName.ts'
import { FactorCodeForm } from './FactorCodeForm.tsx'

interface Props extends Pick<ComponentProps<typeof Form<void>>, 'onDone' | 'before' | 'buttonsClass'> {
  factor: Factor
  autoFocus: boolean
}

/** Asks for the code of an authenticator app or of a text message. */
export function FactorCode({ factor, autoFocus, onDone, ...form }: Props) {
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
      <Form {...form} action={i18n._('Send code')} autoFocus={autoFocus} run={send}>
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
        {...form}
        factor={factor.id}
        challenge={challenge}
        action={i18n._('Continue')}
        hint={
          phone ? i18n._('We’ve texted you a code.') : i18n._('Enter the code from your authenticator app.')
        }
        autoFocus={autoFocus || phone}
        onDone={onDone}
      />
      {phone ? (
        <div className={styles.options}>
          <ResendButton by="phone" resend={send} />
        </div>
      ) : null}
    </>
  )
}
