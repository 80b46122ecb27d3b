import { i18n } from '@lingui/core'
import { useState } from 'react'
import { challengeFactor, enrollPhone, verifyFactorCode } from '../../../../data/account/factors.ts'
import { success } from '../../../../data/failures/failures.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Form } from '../../../../ui/Form.tsx'
import layout from '../../../../ui/dialogLayout.module.css'
import { TextField } from '../../../../ui/TextField.tsx'
import { ResendButton } from '../../../../features/flows/account/ResendButton.tsx'
import { CodeField, isCompleteCode } from '../../../../features/flows/account/CodeField.tsx'
import { parsePhoneNumber } from '../../../../features/flows/account/parsePhoneNumber.ts'
import { useAction } from '../../../../data/hooks/useAction.ts'

interface Props {
  name: string
  onDone: () => void
  onBack: () => void
}

/** Asks for a phone number, sends a code and verifies it. */
export function AddPhone({ name, onDone, onBack }: Props) {
  const [number, setNumber] = useState('')
  const [challenge, setChallenge] = useState<{ id: string; challenge: string } | null>(null)
  const [code, setCode] = useState('')
  const action = useAction()
  const phone = parsePhoneNumber(number)

  const send = async (id: string) => {
    const outcome = await challengeFactor(id)
    if (!outcome.ok) return outcome
    setChallenge({ id, challenge: outcome.value })
    return success(undefined)
  }
  const begin = async () => {
    if (!phone) return
    await action.run(async () => {
      const factor = await enrollPhone(name, phone)
      return factor.ok ? send(factor.value) : factor
    })
  }
  const enter = async () => {
    if (!challenge || !isCompleteCode(code)) return
    if (await action.run(() => verifyFactorCode(challenge.id, challenge.challenge, code))) onDone()
    else setCode('')
  }

  if (!challenge) {
    return (
      <Form onSubmit={() => void begin()} failure={action.failure}>
        <TextField
          label={i18n._('Phone number')}
          hint={i18n._('Include the country code, e.g. +1 or +44')}
          type="tel"
          autoComplete="tel"
          dir="ltr"
          autoFocus
          value={number}
          onChange={(event) => setNumber(event.currentTarget.value)}
        />
        <div className={layout.footer}>
          <Button variant="quiet" onClick={onBack}>
            {i18n._('Back')}
          </Button>
          <Button type="submit" variant="primary" busy={action.busy} disabled={!phone}>
            {i18n._('Send code')}
          </Button>
        </div>
      </Form>
    )
  }
  return (
    <Form onSubmit={() => void enter()} failure={action.failure}>
      <CodeField hint={i18n._('We’ve texted you a code.')} value={code} onChange={setCode} autoFocus />
      <div className={layout.footer}>
        <ResendButton
          label={i18n._('Resend code')}
          sentText={i18n._('We sent another code.')}
          resend={() => send(challenge.id)}
        />
        <Button type="submit" variant="primary" busy={action.busy} disabled={!isCompleteCode(code)}>
          {i18n._('Set up')}
        </Button>
      </div>
    </Form>
  )
}
