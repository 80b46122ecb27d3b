import { i18n } from '@lingui/core'
import type { Factor, FactorType } from '../../../data/account/ownAccount.ts'
import { isolated } from '../../../data/people/isolateBidi.ts'

/** What kind of second step it is, in words. */
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

/** The kind, and the name that its owner gave it. */
export function factorName(factor: Factor): string {
  const kind = factorKind(factor.factor_type)
  const own = factor.factor_type === 'phone' ? lastDigits(factor.phone) : factor.friendly_name
  // Unnamed ones are numbered, and the first of them is just what it is.
  return own && own !== '1' ? `${kind} (${isolated(own)})` : kind
}

/** Enough of a number to know it by, should somebody look over one's shoulder. */
export function lastDigits(phone: string | undefined): string {
  return phone ? `…${phone.slice(-3)}` : ''
}
