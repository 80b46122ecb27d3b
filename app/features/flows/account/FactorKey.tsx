import { i18n } from '@lingui/core'
import type { ComponentProps } from 'react'
import { verifyWebAuthnFactor } from '../../../data/account/factors.ts'
import type { Factor } from '../../../data/account/ownAccount.ts'
import { Form } from '../../../ui/Form.tsx'

interface Props extends Pick<ComponentProps<typeof Form<void>>, 'onDone' | 'before' | 'buttonsClass'> {
  factor: Factor
  autoFocus: boolean
}

/** Asks for a security key; the browser opens its prompt on a click. */
export function FactorKey({ factor, ...form }: Props) {
  return (
    <Form {...form} action={i18n._('Use security key')} run={() => verifyWebAuthnFactor(factor.id)}>
      <p>{i18n._('Use your security key, or this device if you’ve registered it.')}</p>
    </Form>
  )
}
