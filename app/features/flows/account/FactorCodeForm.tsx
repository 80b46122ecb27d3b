import { useState, type ComponentProps } from 'react'
import { verifyFactorCode } from '../../../data/account/factors.ts'
import { Form } from '../../../ui/Form.tsx'
import { CodeField, isCompleteCode } from './CodeField.tsx'

interface Props extends Pick<
  ComponentProps<typeof Form<void>>,
  'action' | 'onDone' | 'before' | 'buttonsClass' | 'children'
> {
  /** The id of the second factor. */
  factor: string
  /** The id of the challenge; null: verifying creates one. */
  challenge: string | null
  hint: string
  autoFocus?: boolean
}

/** Asks for a code of a second factor and verifies it. `children`: what is above the field. */
export function FactorCodeForm({ factor, challenge, hint, autoFocus = false, children, ...form }: Props) {
  const [code, setCode] = useState('')
  const verify = async () => {
    const outcome = await verifyFactorCode(factor, challenge, code)
    if (!outcome.ok) setCode('')
    return outcome
  }
  return (
    <Form {...form} isDisabled={!isCompleteCode(code)} run={verify}>
      {children}
      <CodeField hint={hint} value={code} onChange={setCode} autoFocus={autoFocus} />
    </Form>
  )
}
