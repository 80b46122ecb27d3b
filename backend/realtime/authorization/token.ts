import type { Caller, Claims, VerifyToken } from '../../../wire/claims.ts'

/** A caller, or why there is none, in the words of the hosted service (`code: sentence`). */
export type Identified = { ok: true; caller: Caller } | { ok: false; code: string; message: string }

/** Longer ones are not looked at: no issuer makes them, and each would be decoded. */
const longestToken = 16_384

const malformed: Identified = {
  ok: false,
  code: 'MalformedJWT',
  message: 'The token provided is not a valid JWT',
}

/** Checks an access token. A token without `role` or `exp` is refused, as the hosted service does. */
export async function identify(verifyToken: VerifyToken, token: string): Promise<Identified> {
  if (token.length > longestToken) return malformed
  const verified = await verifyToken(token)
  if (!verified.ok) return refusal(verified.fault, verified.message, token)
  const { caller } = verified
  // `set role none` would mean the service itself, which may do everything.
  if (caller.claims.exp === undefined || !caller.claims.role || caller.role === 'none') {
    return { ok: false, code: 'InvalidJWTToken', message: 'Fields `role` and `exp` are required in JWT' }
  }
  return expired(caller) ?? { ok: true, caller }
}

/** The refusal of a caller whose token has expired; null while it is good. */
export function expired({ claims }: Caller): (Identified & { ok: false }) | null {
  const over = Math.floor(Date.now() / 1000) - (claims.exp ?? Infinity)
  if (over < 0) return null
  return { ok: false, code: 'InvalidJWTToken', message: `Token has expired ${over} seconds ago` }
}

function refusal(fault: string, message: string, token: string): Identified {
  switch (fault) {
    case 'malformed':
      return malformed
    case 'signature':
      return { ok: false, code: 'JwtSignatureError', message: 'Failed to validate JWT signature' }
    case 'expired':
      return expired({ role: '', claims: peek(token), claimsJson: '' }) ?? malformed
    default:
      return { ok: false, code: 'InvalidJWTToken', message }
  }
}

function peek(token: string): Claims {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Claims
  } catch {
    return {}
  }
}
