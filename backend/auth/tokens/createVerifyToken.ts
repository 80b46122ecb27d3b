import { errors, jwtVerify, type CryptoKey, type JWTHeaderParameters, type JWTVerifyOptions } from 'jose'
import type { Caller, Claims, TokenFault, Verified, VerifyToken } from '../../../wire/claims.ts'
import type { AuthKeys } from './keys.ts'

/** Longer tokens are rejected without parsing them: headers are shorter anyway. */
const maxTokenLength = 65_536

/**
 * Verifies tokens that were signed with one of our keys (ES256, RS256, HS256; found by kid) or the shared
 * secret (HS256).
 *
 * Accepted tokens are cached until they expire, in two generations of `capacity` each, so that a token in use
 * costs a Map lookup and memory is bounded. Rejected ones are not cached: an attacker could evict everyone
 * else's with them. The cache is cleared when `keys` changes, since a key may have been revoked.
 * @param keys may be changed in place at any time
 */
export function createVerifyToken(
  keys: AuthKeys,
  o: { capacity?: number; now?: () => number } = {},
): VerifyToken {
  const capacity = o.capacity ?? 5_000
  const now = o.now ?? Date.now
  let young = new Map<string, Verified & { ok: true }>()
  let old = new Map<string, Verified & { ok: true }>()
  let { verifying } = keys

  const cache = (token: string, verified: Verified & { ok: true }): void => {
    if (young.size >= capacity) {
      old = young
      young = new Map()
    }
    young.set(token, verified)
  }

  return async (token) => {
    if (verifying !== keys.verifying) {
      verifying = keys.verifying
      young = new Map()
      old = new Map()
    }
    const cached = young.get(token) ?? old.get(token)
    if (cached) {
      const { exp } = cached.caller.claims
      if (exp === undefined || exp * 1000 > now()) {
        if (!young.has(token)) cache(token, cached)
        return cached
      }
      young.delete(token)
      old.delete(token)
    }
    const keysAtStart = verifying
    const checked = await checkToken(token, (header) => keyFor(keys, header), {
      currentDate: new Date(now()),
    })
    const verified = isIdToken(checked) ? rejected('audience', 'token is meant for a client alone') : checked
    // Not cached if the keys were replaced during the verification.
    if (verified.ok && keysAtStart === keys.verifying) cache(token, verified)
    return verified
  }
}

/**
 * Whether this is an ID token, which identifies the user to an OAuth client. Hosted Supabase signs it with the
 * same key and accepts it as the user's access token, even after the client's session has ended.
 */
function isIdToken(verified: Verified): boolean {
  if (!verified.ok) return false
  const { aud, client_id: clientId, session_id: session } = verified.caller.claims
  return clientId !== undefined && aud === clientId && session === undefined
}

type FindKey = (header: JWTHeaderParameters) => Uint8Array | CryptoKey | Promise<Uint8Array | CryptoKey>

/** Verifies signature, times and `options`; returns the caller, or why the token is rejected. */
export async function checkToken(
  token: string,
  findKey: FindKey,
  options: JWTVerifyOptions,
): Promise<Verified> {
  if (token.length > maxTokenLength) return rejected('malformed', 'token is too long')
  try {
    const { payload } = await jwtVerify<Claims>(token, async (header) => findKey(header), options)
    return { ok: true, caller: toCaller(payload as Claims) }
  } catch (error) {
    return toRejection(error)
  }
}

/** Throws if the header names an unknown key, or a key of another algorithm. */
function keyFor(keys: AuthKeys, header: JWTHeaderParameters): Uint8Array | CryptoKey {
  const named = header.kid ? keys.verifying.get(header.kid) : undefined
  if (named) {
    // Each key has one algorithm: otherwise a public key could be used as a shared secret, and anyone could
    // sign.
    if (named.alg !== header.alg) throw new errors.JOSEAlgNotAllowed('algorithm does not fit the key')
    return named.key
  }
  if (header.alg === 'HS256') return keys.secret
  throw new errors.JWKSNoMatchingKey(`unrecognized JWT kid for algorithm ${header.alg}`)
}

function toCaller(claims: Claims): Caller {
  const role = typeof claims.role === 'string' && claims.role !== '' ? claims.role : 'anon'
  // Policies read the role from the claims, also if the token names none.
  return { role, claims, claimsJson: JSON.stringify(claims.role === role ? claims : { ...claims, role }) }
}

function rejected(fault: TokenFault, message: string): Verified {
  return { ok: false, fault, message }
}

function toRejection(error: unknown): Verified {
  if (error instanceof errors.JWTExpired) return rejected('expired', 'token is expired')
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf') return rejected('not-yet-valid', 'token is not valid yet')
    return rejected('malformed', `token has an invalid ${error.claim} claim`)
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return rejected('signature', 'signature is invalid')
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JWKSNoMatchingKey) {
    return rejected('signature', error.message)
  }
  return rejected('malformed', 'token is malformed')
}
