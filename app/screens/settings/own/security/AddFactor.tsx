import { i18n } from '@lingui/core'
import { useState } from 'react'
import { supportsWebAuthn } from '../../../../data/account/credentials.ts'
import { addWebAuthnFactor } from '../../../../data/account/factors.ts'
import { Button } from '../../../../ui/Button.tsx'
import { RadioGroup } from '../../../../ui/RadioGroup.tsx'
import { Dialog } from '../../../../ui/Dialog.tsx'
import { Form } from '../../../../ui/Form.tsx'
import { useToast } from '../../../../ui/toast.ts'
import layout from '../../../../ui/dialogLayout.module.css'
import { TextField } from '../../../../ui/TextField.tsx'
import { factorKind } from '../../../../features/flows/account/factorName.ts'
import { useAction } from '../../../../data/hooks/useAction.ts'
import type { FactorType } from '../../../../data/account/ownAccount.ts'
import { AddAuthenticatorApp } from './AddAuthenticatorApp.tsx'
import { AddPhone } from './AddPhone.tsx'

interface Props {
  phone: boolean
  /** Names of existing factors. */
  taken: readonly string[]
  onDone: () => void
  onClose: () => void
}

/** Adds a second factor: type and name first, then its verification. */
export function AddFactor({ phone, taken, onDone, onClose }: Props) {
  const [type, setType] = useState<FactorType>('totp')
  const [name, setName] = useState('')
  const [named, setNamed] = useState('')
  const showToast = useToast()
  const action = useAction()
  const types: FactorType[] = [
    'totp',
    ...(supportsWebAuthn() ? ['webauthn' as const] : []),
    ...(phone ? ['phone' as const] : []),
  ]
  const finish = () => {
    showToast({
      text: i18n._(
        'Two-factor authentication is on. Your other devices were signed out and will ask for it next time.',
      ),
    })
    onDone()
  }
  const begin = async () => {
    const own = name.trim() || nextFreeName(taken)
    if (type !== 'webauthn') return setNamed(own)
    if (await action.run(() => addWebAuthnFactor(own))) finish()
  }

  return (
    <Dialog title={i18n._('Add a two-factor method')} onClose={onClose}>
      <div className={layout.body}>
        {named && type === 'totp' ? (
          <AddAuthenticatorApp name={named} onDone={finish} onBack={() => setNamed('')} />
        ) : named ? (
          <AddPhone name={named} onDone={finish} onBack={() => setNamed('')} />
        ) : (
          <Form onSubmit={() => void begin()} failure={action.failure}>
            <RadioGroup
              label={i18n._('Method')}
              value={type}
              options={types.map((value) => ({ value, label: factorKind(value) }))}
              onChange={setType}
            />
            <p className={layout.muted}>{typeHint(type)}</p>
            <TextField
              label={i18n._('Name')}
              hint={i18n._('Optional. Helps you tell your methods apart.')}
              autoComplete="off"
              autoFocus
              maxLength={60}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <div className={layout.footer}>
              <Button variant="quiet" onClick={onClose}>
                {i18n._('Cancel')}
              </Button>
              <Button type="submit" variant="primary" busy={action.busy}>
                {i18n._('Continue')}
              </Button>
            </div>
          </Form>
        )}
      </div>
    </Dialog>
  )
}

function typeHint(type: FactorType): string {
  switch (type) {
    case 'totp':
      return i18n._('Enter a code from an app on your phone or in your password manager.')
    case 'webauthn':
      return i18n._('A USB or NFC security key, or this device’s fingerprint, face or PIN.')
    case 'phone':
      return i18n._('We text you a code each time. Better than nothing, but the weakest option.')
  }
}

/** The smallest number that is not used as a name: the server requires unique names, and a number is not shown. */
function nextFreeName(taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    if (!taken.includes(String(number))) return String(number)
  }
}
