import { i18n } from '@lingui/core'
import { supportsWebAuthn } from '../../../data/account/credentials.ts'

/** Why this page can use neither passkeys nor security keys, in a sentence; null if it can. */
export function webAuthnObstacle(): string | null {
  if (supportsWebAuthn()) return null
  if (!isSecureContext)
    return i18n._(
      'Browsers allow passkeys and security keys only on websites with HTTPS, which this server doesn’t use.',
    )
  return typeof PublicKeyCredential === 'function'
    ? i18n._(
        'Passkeys and security keys don’t work at an IP address. Open Linnet at its host name to use them.',
      )
    : i18n._('This browser doesn’t support passkeys and security keys.')
}
