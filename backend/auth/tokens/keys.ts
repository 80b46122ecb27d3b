import { createHmac, createPrivateKey, randomBytes, type KeyObject } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose'

/** What is kept on disk, mode 0600. Plain JSON. */
export interface StoredKeys {
  /** Shared secret of HS256 tokens: the legacy API keys, and whoever signs with it. */
  jwtSecret: string
  /** Private ES256 key (JWK with kid) that signs access tokens. */
  signingKey: JWK
  /** Public keys whose tokens are still accepted, such as the one before. */
  previousKeys?: JWK[]
}

export interface AuthKeys {
  secret: Uint8Array
  signing: { kid: string; key: KeyObject }
  /** Public keys by kid, with the one algorithm that each is good for. */
  verifying: Map<string, { alg: string; key: CryptoKey }>
  /** `{keys}` for /.well-known/jwks.json: public keys alone. */
  jwks: { keys: JWK[] }
}

/** New secrets. `jwtSecret` fixes the shared secret, from which the legacy keys derive. */
export async function createKeys(o: { jwtSecret?: string } = {}): Promise<StoredKeys> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return {
    jwtSecret: o.jwtSecret ?? randomBytes(32).toString('base64url'),
    signingKey: { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: 'ES256', use: 'sig' },
  }
}

/** Stored secrets, ready for use. Throws where the signing key has no kid or can't be read. */
export async function loadKeys(stored: StoredKeys): Promise<AuthKeys> {
  const { signingKey } = stored
  if (!signingKey.kid) throw new Error('The signing key has no kid.')
  const published = [signingKey, ...(stored.previousKeys ?? [])].map(publicPart)
  const verifying: AuthKeys['verifying'] = new Map()
  for (const jwk of published) {
    if (!jwk.kid || !jwk.alg) continue
    verifying.set(jwk.kid, { alg: jwk.alg, key: (await importJWK(jwk, jwk.alg)) as CryptoKey })
  }
  return {
    secret: new TextEncoder().encode(stored.jwtSecret),
    signing: {
      kid: signingKey.kid,
      key: createPrivateKey({ key: signingKey as Record<string, unknown>, format: 'jwk' }),
    },
    verifying,
    jwks: { keys: published },
  }
}

/** Names what may be published, so that no private member slips through. */
function publicPart(jwk: JWK): JWK {
  const { kty, crv, x, y, n, e, kid, alg } = jwk
  const shown = { kty, crv, x, y, n, e, kid, alg, use: 'sig', key_ops: ['verify'], ext: true }
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined)) as JWK
}

/**
 * A legacy API key: an HS256 token of ten years without a subject. The same secret gives the same key,
 * so that a key pasted into a client survives a restart.
 */
export function issueLegacyKey(secret: string, role: 'anon' | 'service_role'): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const issued = 1_767_225_600
  const head = part({ alg: 'HS256', typ: 'JWT' })
  const body = part({ iss: 'supabase', role, iat: issued, exp: issued + 10 * 365 * 86_400 })
  const signature = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url')
  return `${head}.${body}.${signature}`
}
