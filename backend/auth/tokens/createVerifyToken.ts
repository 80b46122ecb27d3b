import { errors, jwtVerify, type CryptoKey, type JWTHeaderParameters, type JWTVerifyOptions } from 'jose'
import type { Caller, Claims, TokenFault, Verified, VerifyToken } from '../../../wire/claims.ts'
import type { AuthKeys } from './keys.ts'

/** Tokens longer than this are refused unread: headers end below it anyway. */
const longestToken = 65_536

/**
 * Checks tokens signed with a key of ours (ES256, RS256, HS256; found by kid) or the shared secret (HS256).
 *
 * Accepted tokens are remembered until they expire, in two generations of `capacity` each, so that a
 * token in use costs a Map lookup and memory stays bounded. Refused ones are not: they would let a
 * stranger push everyone else out. All are forgotten when `keys` changes, since one may have been revoked.
 * @param keys may be given other members while it is in use
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

  const remember = (token: string, verified: Verified & { ok: true }): void => {
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
    const asked = verifying
    const checked = await checkToken(token, (header) => keyFor(keys, header), {
      currentDate: new Date(now()),
    })
    const verified = isIdToken(checked) ? refused('audience', 'token is meant for a client alone') : checked
    // Checked with keys that were replaced meanwhile, it counts this once.
    if (verified.ok && asked === keys.verifying) remember(token, verified)
    return verified
  }
}

/**
 * Whether this is what an OAuth client was told of who signed in. Hosted signs it with the same key and takes it for
 * the person themselves, past the end of the client's session.
 */
function isIdToken(verified: Verified): boolean {
  if (!verified.ok) return false
  const { aud, client_id: clientId, session_id: session } = verified.caller.claims
  return clientId !== undefined && aud === clientId && session === undefined
}

type FindKey = (header: JWTHeaderParameters) => Uint8Array | CryptoKey | Promise<Uint8Array | CryptoKey>

/** Checks signature, times and what else is asked for; whom the token stands for, or why it is refused. */
export async function checkToken(
  token: string,
  findKey: FindKey,
  options: JWTVerifyOptions,
): Promise<Verified> {
  if (token.length > longestToken) return refused('malformed', 'token is too long')
  try {
    const { payload } = await jwtVerify<Claims>(token, async (header) => findKey(header), options)
    return { ok: true, caller: toCaller(payload as Claims) }
  } catch (error) {
    return toRefusal(error)
  }
}

/** Throws where the header names no key of ours, or a key with another algorithm than its own. */
function keyFor(keys: AuthKeys, header: JWTHeaderParameters): Uint8Array | CryptoKey {
  const known = header.kid ? keys.verifying.get(header.kid) : undefined
  if (known) {
    // A public key taken for a shared secret would let anyone sign: each key has one algorithm.
    if (known.alg !== header.alg) throw new errors.JOSEAlgNotAllowed('algorithm does not fit the key')
    return known.key
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
