import { decodeJwt } from 'jose'
import type { Caller, Claims, VerifyToken } from '../../../wire/claims.ts'

/** A caller, or the error in the form of the hosted service (`code: sentence`). */
export type IdentifiedCaller = { ok: true; caller: Caller } | { ok: false; code: string; message: string }

/** Longer tokens are refused without decoding: no issuer creates them. */
const maxTokenLength = 16_384

export const sessionEndedMessage = 'The session of this token has ended'

const malformed: IdentifiedCaller = {
  ok: false,
  code: 'MalformedJWT',
  message: 'The token provided is not a valid JWT',
}

/** Checks an access token. A token without `role` or `exp` is refused, as the hosted service does. */
export async function identifyCaller(verifyToken: VerifyToken, token: string): Promise<IdentifiedCaller> {
  if (token.length > maxTokenLength) return malformed
  const verified = await verifyToken(token)
  if (!verified.ok) return toError(verified.fault, verified.message, token)
  const { caller } = verified
  // `set role none` would select the service's own role, which has all permissions.
  if (caller.claims.exp === undefined || !caller.claims.role || caller.role === 'none') {
    return { ok: false, code: 'InvalidJWTToken', message: 'Fields `role` and `exp` are required in JWT' }
  }
  return expiryError(caller) ?? { ok: true, caller }
}

/** The error for a caller whose token has expired; null while it is valid. */
export function expiryError({ claims }: Caller): (IdentifiedCaller & { ok: false }) | null {
  const secondsAgo = Math.floor(Date.now() / 1000) - (claims.exp ?? Infinity)
  if (secondsAgo < 0) return null
  return { ok: false, code: 'InvalidJWTToken', message: `Token has expired ${secondsAgo} seconds ago` }
}

function toError(fault: string, message: string, token: string): IdentifiedCaller {
  switch (fault) {
    case 'malformed':
      return malformed
    case 'signature':
      return { ok: false, code: 'JwtSignatureError', message: 'Failed to validate JWT signature' }
    case 'expired':
      return expiryError({ role: '', claims: decodeClaims(token), claimsJson: '' }) ?? malformed
    default:
      return { ok: false, code: 'InvalidJWTToken', message }
  }
}

function decodeClaims(token: string): Claims {
  try {
    return decodeJwt<Claims>(token)
  } catch {
    return {}
  }
}
