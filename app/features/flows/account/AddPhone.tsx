import { i18n } from '@lingui/core'
import { PhoneField } from './PhoneField.tsx'
import { useState } from 'react'
import { challengeFactor, enrollPhone } from '../../../data/account/factors.ts'
import { success } from '../../../data/failures/failures.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { ResendButton } from './ResendButton.tsx'
import { parsePhoneNumber } from './parsePhoneNumber.ts'
import { FactorCodeForm } from './FactorCodeForm.tsx'

interface Props {
  name: string
  onDone: () => void
  onBack: () => void
}

/** Asks for a phone number, sends a code and verifies it. */
export function AddPhone({ name, onDone, onBack }: Props) {
  const [number, setNumber] = useState('')
  const [challenge, setChallenge] = useState<{ id: string; challenge: string } | null>(null)
  const phone = parsePhoneNumber(number)

  const send = async (id: string) => {
    const outcome = await challengeFactor(id)
    if (!outcome.ok) return outcome
    setChallenge({ id, challenge: outcome.value })
    return success(undefined)
  }
  const begin = async () => {
    if (!phone) return null
    const factor = await enrollPhone(name, phone)
    return factor.ok ? send(factor.value) : factor
  }

  if (!challenge) {
    return (
      <Form
        action={i18n._('Send code')}
        isDisabled={!phone}
        run={begin}
        buttonsClass={layout.footer}
        before={
          <Button variant="quiet" onClick={onBack}>
            {i18n._('Back')}
          </Button>
        }
      >
        <PhoneField value={number} onChange={setNumber} />
      </Form>
    )
  }
  return (
    <FactorCodeForm
      factor={challenge.id}
      challenge={challenge.challenge}
      hint={i18n._('We’ve texted you a code.')}
      action={i18n._('Set up')}
      autoFocus
      onDone={onDone}
      buttonsClass={layout.footer}
      before={<ResendButton by="phone" resend={() => send(challenge.id)} />}
    />
  )
}
