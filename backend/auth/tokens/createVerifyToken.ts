import { errors, jwtVerify, type CryptoKey, type JWTHeaderParameters } from 'jose'
import type { Caller, Claims, TokenFault, Verified, VerifyToken } from '../../../wire/claims.ts'
import type { AuthKeys } from './keys.ts'

/** Tokens longer than this are refused unread: headers end below it anyway. */
const longestToken = 65_536

/**
 * Checks tokens signed with a published key (ES256, RS256; found by kid) or the shared secret (HS256).
 *
 * Accepted tokens are remembered until they expire, in two generations of `capacity` each, so that a
 * token in use costs a Map lookup and memory stays bounded. Refused ones are not: they would let a
 * stranger push everyone else out.
 */
export function createVerifyToken(
  keys: AuthKeys,
  o: { capacity?: number; now?: () => number } = {},
): VerifyToken {
  const capacity = o.capacity ?? 5_000
  const now = o.now ?? Date.now
  let young = new Map<string, Verified & { ok: true }>()
  let old = new Map<string, Verified & { ok: true }>()

  const remember = (token: string, verified: Verified & { ok: true }): void => {
    if (young.size >= capacity) {
      old = young
      young = new Map()
    }
    young.set(token, verified)
  }

  return async (token) => {
    const known = young.get(token) ?? old.get(token)
    if (known) {
      const { exp } = known.caller.claims
      if (exp === undefined || exp * 1000 > now()) {
        if (!young.has(token)) remember(token, known)
        return known
      }
      young.delete(token)
      old.delete(token)
    }
    if (token.length > longestToken) return refused('malformed', 'token is too long')
    try {
      const { payload } = await jwtVerify<Claims>(token, (header) => keyFor(keys, header), {
        currentDate: new Date(now()),
      })
      const verified = { ok: true as const, caller: toCaller(payload as Claims) }
      remember(token, verified)
      return verified
    } catch (error) {
      return toRefusal(error)
    }
  }
}

/** Throws where the header names no key of ours, or a key with another algorithm than its own. */
function keyFor(keys: AuthKeys, header: JWTHeaderParameters): Uint8Array | CryptoKey {
  const published = header.kid ? keys.verifying.get(header.kid) : undefined
  if (published) {
    // A public key taken for a shared secret would let anyone sign: each key has one algorithm.
    if (published.alg !== header.alg) throw new errors.JOSEAlgNotAllowed('algorithm does not fit the key')
    return published.key
  }
  if (header.alg === 'HS256') return keys.secret
  throw new errors.JWKSNoMatchingKey(`unrecognized JWT kid for algorithm ${header.alg}`)
}

function toCaller(claims: Claims): Caller {
  const role = typeof claims.role === 'string' && claims.role !== '' ? claims.role : 'anon'
  // Policies see the role that the token stands for, also where it names none.
  return { role, claims, claimsJson: JSON.stringify(claims.role === role ? claims : { ...claims, role }) }
}

function refused(fault: TokenFault, message: string): Verified {
  return { ok: false, fault, message }
}

function toRefusal(error: unknown): Verified {
  if (error instanceof errors.JWTExpired) return refused('expired', 'token is expired')
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf') return refused('not-yet-valid', 'token is not valid yet')
    return refused('malformed', `token has an invalid ${error.claim} claim`)
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return refused('signature', 'signature is invalid')
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JWKSNoMatchingKey) {
    return refused('signature', error.message)
  }
  return refused('malformed', 'token is malformed')
}
