import { sign } from 'node:crypto'
import type { Claims } from '../../../wire/claims.ts'
import type { AuthKeys } from './keys.ts'

/** An access token: ES256 over the claims, with the kid of the published key (RFC 7515, RFC 7518 §3.4). */
export function signToken(keys: AuthKeys, claims: Claims): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const head = part({ alg: 'ES256', kid: keys.signing.kid, typ: 'JWT' })
  const signed = `${head}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key: keys.signing.key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}
