import { createHmac, createPrivateKey, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose'

/** How access tokens are signed (RFC 7518 §3.1). */
export const signingAlgorithms = ['ES256', 'RS256', 'HS256'] as const
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

/** What is stored on disk, with mode 0600. Plain JSON. */
export interface StoredKeys {
  /** Shared secret of HS256 tokens: the legacy API keys, and tokens of others who have it. */
  jwtSecret: string
  /** The private key (JWK with kid) that signs access tokens. */
  signingKey: JWK
  /** Will sign next: published in advance, for clients that cache the published keys. */
  standbyKey?: JWK | null
  /** Keys whose tokens are still accepted, such as the previous signing key. */
  previousKeys?: JWK[]
}

export interface AuthKeys {
  secret: Uint8Array
  signing: { kid: string; alg: SigningAlgorithm; key: KeyObject }
  /** By kid, with the only algorithm of each key. */
  verifying: Map<string, { alg: string; key: CryptoKey | Uint8Array }>
  /** `{keys}` for /.well-known/jwks.json: public keys only. */
  jwks: { keys: JWK[] }
}

/** A new private key with a random kid. */
export async function createSigningKey(alg: SigningAlgorithm): Promise<JWK> {
  const named = { kid: crypto.randomUUID(), alg, use: 'sig' }
  if (alg === 'HS256') return { kty: 'oct', k: randomBytes(32).toString('base64url'), ...named }
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), ...named }
}

/** New secrets. `jwtSecret` fixes the shared secret, from which the legacy keys derive. */
export async function createKeys(o: { jwtSecret?: string } = {}): Promise<StoredKeys> {
  return {
    jwtSecret: o.jwtSecret ?? randomBytes(32).toString('base64url'),
    signingKey: await createSigningKey('ES256'),
  }
}

/** Imports stored secrets. Throws if a key is invalid, or the signing key has no kid or algorithm. */
export async function loadKeys(stored: StoredKeys): Promise<AuthKeys> {
  const { signingKey, standbyKey, previousKeys = [] } = stored
  const verifying: AuthKeys['verifying'] = new Map()
  const published: JWK[] = []
  for (const jwk of [signingKey, ...(standbyKey ? [standbyKey] : []), ...previousKeys]) {
    if (!jwk.kid || !jwk.alg || verifying.has(jwk.kid)) continue
    const publicJwk = jwk.kty === 'oct' ? null : publicJwkOf(jwk)
    verifying.set(jwk.kid, { alg: jwk.alg, key: await importJWK(publicJwk ?? jwk, jwk.alg) })
    if (publicJwk) published.push(publicJwk)
  }
  return {
    secret: new TextEncoder().encode(stored.jwtSecret),
    signing: readSigningKey(signingKey),
    verifying,
    jwks: { keys: published },
  }
}

function readSigningKey(jwk: JWK): AuthKeys['signing'] {
  const { kid, alg } = jwk
  if (!kid) throw new Error('The signing key has no kid.')
  const algorithm = signingAlgorithms.find((one) => one === alg)
  if (!algorithm) throw new Error(`The signing key ${kid} is for ${alg}.`)
  const key = jwk.k
    ? createSecretKey(jwk.k, 'base64url')
    : createPrivateKey({ key: jwk as Record<string, unknown>, format: 'jwk' })
  return { kid, alg: algorithm, key }
}

/** The key that verifies tokens: the public part, or a shared secret as it is. */
export function verifyingJwkOf(jwk: JWK): JWK {
  return jwk.kty === 'oct' ? jwk : publicJwkOf(jwk)
}

/** Copies the public members by name, so that no private one can be published. */
function publicJwkOf(jwk: JWK): JWK {
  const { kty, crv, x, y, n, e, kid, alg } = jwk
  const publicJwk = { kty, crv, x, y, n, e, kid, alg, use: 'sig', key_ops: ['verify'], ext: true }
  return Object.fromEntries(Object.entries(publicJwk).filter(([, value]) => value !== undefined)) as JWK
}

/**
 * A legacy API key: an HS256 token that is valid for ten years and has no subject. The same secret gives the
 * same key, so that a key in a client's configuration stays valid after a restart.
 */
export function issueLegacyKey(secret: string, role: 'anon' | 'service_role'): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const issued = 1_767_225_600
  const head = part({ alg: 'HS256', typ: 'JWT' })
  const body = part({ iss: 'supabase', role, iat: issued, exp: issued + 10 * 365 * 86_400 })
  const signature = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url')
  return `${head}.${body}.${signature}`
}
