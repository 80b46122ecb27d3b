import { i18n } from '@lingui/core'
import { verifyWebAuthnFactor } from '../../../data/account/factors.ts'
import type { Factor } from '../../../data/account/ownAccount.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useAction } from '../useAction.ts'

/** Asks for a security key; the browser opens its prompt on a click. */
export function FactorKey({ factor, chosen }: { factor: Factor; chosen: boolean }) {
  const action = useAction()
  return (
    <Form onSubmit={() => void action.run(() => verifyWebAuthnFactor(factor.id))} failure={action.failure}>
      <p>{i18n._('Use your security key, or this device if you’ve registered it.')}</p>
      <Button type="submit" variant="primary" busy={action.busy} autoFocus={chosen}>
        {i18n._('Use security key')}
      </Button>
    </Form>
  )
}
