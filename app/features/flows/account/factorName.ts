import { i18n } from '@lingui/core'
import type { Factor, FactorType } from '../../../data/account/ownAccount.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'

/** The name of a factor type. */
export function factorKind(type: FactorType): string {
  switch (type) {
    case 'totp':
      return i18n._('Authenticator app')
    case 'webauthn':
      return i18n._('Security key')
    case 'phone':
      return i18n._('Text message')
  }
}

/** The type, and the name that its owner gave it. */
export function factorName(factor: Factor): string {
  const kind = factorKind(factor.factor_type)
  const own = factor.factor_type === 'phone' ? lastDigits(factor.phone) : factor.friendly_name
  // Unnamed factors are numbered; the number of the first is not shown.
  return own && own !== '1' ? `${kind} (${isolateBidi(own)})` : kind
}

/** Enough digits to recognize the number without revealing it. */
export function lastDigits(phone: string | undefined): string {
  return phone ? `…${phone.slice(-3)}` : ''
}
