import { i18n } from '@lingui/core'
import { useState } from 'react'
import { addWebAuthnFactor } from '../../../data/account/factors.ts'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { useToast } from '../../../ui/toast.ts'
import layout from '../../../ui/dialogLayout.module.css'
import { TextField } from '../../../ui/TextField.tsx'
import { factorKind } from './factorName.ts'
import type { FactorType } from '../../../data/account/ownAccount.ts'
import { AddAuthenticatorApp } from './AddAuthenticatorApp.tsx'
import { AddPhone } from './AddPhone.tsx'
import { webAuthnObstacle } from './webAuthnObstacle.ts'

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
  const title = i18n._('Add a two-factor method')
  const obstacle = webAuthnObstacle()
  const types: FactorType[] = [
    'totp',
    ...(obstacle ? [] : ['webauthn' as const]),
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
  const begin = () => {
    const own = name.trim() || nextFreeName(taken)
    if (type === 'webauthn') return addWebAuthnFactor(own)
    setNamed(own)
    return null
  }

  if (named) {
    const Verify = type === 'totp' ? AddAuthenticatorApp : AddPhone
    return (
      <Dialog title={title} onClose={onClose}>
        <div className={layout.body}>
          <Verify name={named} onDone={finish} onBack={() => setNamed('')} />
        </div>
      </Dialog>
    )
  }
  return (
    <FormDialog title={title} action={i18n._('Continue')} run={begin} onDone={finish} onClose={onClose}>
      <RadioGroup
        label={i18n._('Method')}
        hint={typeHint(type)}
        value={type}
        options={types.map((value) => ({ value, label: factorKind(value) }))}
        onChange={setType}
      />
      {obstacle ? <p className="note">{obstacle}</p> : null}
      <TextField
        label={i18n._('Name')}
        hint={i18n._('Optional. Helps you tell your methods apart.')}
        autoFocus
        maxLength={60}
        value={name}
        onChange={setName}
      />
    </FormDialog>
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
