import { createHmac, sign } from 'node:crypto'
import type { Claims } from '../../../wire/claims.ts'
import type { AuthKeys } from './keys.ts'

/**
 * Creates an access token: signs claims with the current signing key, whose kid is in the header (RFC 7515, RFC 7518
 * §3).
 */
export function signToken(keys: AuthKeys, claims: Claims): string {
  const { kid, alg, key } = keys.signing
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg, kid, typ: 'JWT' })}.${part(claims)}`
  const signature =
    alg === 'HS256'
      ? createHmac('sha256', key).update(signed).digest()
      : sign('sha256', Buffer.from(signed), alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key)
  return `${signed}.${signature.toString('base64url')}`
}
