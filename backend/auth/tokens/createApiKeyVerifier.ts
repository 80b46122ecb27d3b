import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createHmac, KeyObject, timingSafeEqual, verify, type webcrypto } from 'node:crypto'
import type { Caller, Claims } from '../../../wire/claims.ts'
import type { AuthKeys } from './keys.ts'

/** A longer text is no key: the official CLI's keys have fewer than 400 characters. */
const maxKeyLength = 2_048

/** Accepted keys that are stored; a project has two or three. */
const maxAccepted = 32

/** The algorithms of the signing keys with what Node needs to verify them. */
const asymmetric = new Set(['ES256', 'RS256'])

/**
 * Returns a function that verifies an API key which is a JWT, such as the keys that the official CLI derives from
 * `jwt_secret` or from `signing_keys_path`. It returns the caller, or null for any other text. A token of a person is no
 * key: the role must be anon or service_role, and there is no subject.
 * @param keys may be changed in place at any time
 */
export function createApiKeyVerifier(
  keys: AuthKeys,
  now: () => number = Date.now,
): (key: string) => Caller | null {
  let { verifying } = keys
  const accepted = new Map<string, Caller>()
  return (key) => {
    if (verifying !== keys.verifying) {
      verifying = keys.verifying
      accepted.clear()
    }
    const known = accepted.get(key)
    const caller = known ?? readKey(keys, key)
    if (!caller) return null
    const { exp } = caller.claims
    if (exp !== undefined && !(exp * 1000 > now())) return null
    if (!known && accepted.size < maxAccepted) accepted.set(key, caller)
    return caller
  }
}

function readKey(keys: AuthKeys, key: string): Caller | null {
  if (key.length > maxKeyLength) return null
  const [head, body, signature, ...more] = key.split('.')
  if (!head || !body || !signature || more.length > 0) return null
  const parts = decode(key)
  if (parts === null) return null
  const { header, claims } = parts
  const { role } = claims
  // Before the signature, which costs more.
  if ((role !== 'anon' && role !== 'service_role') || claims.sub !== undefined) return null
  const isSigned = isSignedBy(keys, header, `${head}.${body}`, Buffer.from(signature, 'base64url'))
  return isSigned ? { role, claims, claimsJson: JSON.stringify(claims) } : null
}

function isSignedBy(
  keys: AuthKeys,
  { alg, kid }: { alg?: unknown; kid?: unknown },
  content: string,
  signature: Buffer,
): boolean {
  const named = typeof kid === 'string' ? keys.verifying.get(kid) : undefined
  // Each key has one algorithm: otherwise a public key could be used as a shared secret.
  if (named && named.alg !== alg) return false
  if (alg === 'HS256') {
    const secret = named ? named.key : keys.secret
    const bytes = secret instanceof Uint8Array ? secret : KeyObject.from(secret as webcrypto.CryptoKey)
    const expected = createHmac('sha256', bytes).update(content).digest()
    return expected.length === signature.length && timingSafeEqual(expected, signature)
  }
  if (!named || !asymmetric.has(named.alg)) return false
  const key = KeyObject.from(named.key as webcrypto.CryptoKey)
  return verify('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }, signature)
}

function decode(key: string): { header: { alg?: unknown; kid?: unknown }; claims: Claims } | null {
  try {
    return { header: decodeProtectedHeader(key), claims: decodeJwt<Claims>(key) }
  } catch {
    return null
  }
}
