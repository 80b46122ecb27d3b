import { createHash } from 'node:crypto'
import {
  createLocalJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose'
import { listAt, textAt } from '../readFields.ts'
import { OutboundError } from '../../../runtime/outbound/sendOutbound.ts'
import { type Outbound, fetchJson } from '../createOutbound.ts'

/** An issuer's discovery document (OpenID Connect Discovery 1.0 §3). */
export interface Discovery {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  userinfoEndpoint: string
  jwksUri: string
  /** Its signature algorithms that use a public key. */
  algorithms: string[]
  /** Its client authentication methods; empty if it names none. */
  clientAuth: string[]
  /** The document as received. */
  document: Record<string, unknown>
}

export interface IssuerOptions {
  /** The URL of the document, if it is not the standard one. */
  discoveryUrl?: string
  /** Other names of the issuer in documents and tokens. */
  aliases?: readonly string[]
  /** For issuers from the API: see ProviderRequest. */
  publicOnly?: boolean
}

interface VerifyOptions extends IssuerOptions {
  issuer: string
  /** Accepted audiences; with null the caller checks them. */
  audiences: string[] | null
  /** Checked against `at_hash`, if the token has one. */
  accessToken?: string
}

/** OpenID Connect issuers; caches their documents and keys. */
export interface Issuers {
  /** Throws OutboundError. */
  discover(issuer: string, o?: IssuerOptions): Promise<Discovery>
  /** Verifies a token of this issuer and returns its claims. Throws OutboundError, jose's errors. */
  verify(token: string, o: VerifyOptions): Promise<JWTPayload>
  /** Drops the cached document. */
  forget(issuer: string): void
}

/** Algorithms with a private key: with a shared secret, anyone who reads the published keys could sign. */
const asymmetricAlgorithms = new Set([
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
])
const documentLifetimeMs = 3_600_000
/** Keys are fetched again after this time, in ms: a revoked one must become invalid. */
const keysLifetimeMs = 600_000
/** A token that matches no key causes an earlier fetch, but at most one in this time, in ms. */
const minFetchIntervalMs = 30_000
/** Clients can name tenants, and each is an issuer: the cache is limited to this many. */
const maxIssuers = 200
/** The accepted clock difference for tokens that are not valid yet, in seconds. */
const clockToleranceSeconds = 300

interface CachedIssuer {
  discovery: Discovery
  at: number
  keys: { set: KeySet; fetchedAt: number; triedAt: number } | null
}

type KeySet = ReturnType<typeof createLocalJWKSet>

export function createIssuers(outbound: Outbound, now: () => number = Date.now): Issuers {
  const cache = new Map<string, CachedIssuer>()
  const fetching = new Map<string, Promise<CachedIssuer>>()

  async function getIssuer(issuer: string, o: IssuerOptions): Promise<CachedIssuer> {
    // The discovery URL is part of the key: an issuer with another URL is another issuer, whose keys must not
    // be used for this one.
    const key = `${issuer} ${o.discoveryUrl ?? ''}`
    const cached = cache.get(key)
    if (cached && now() - cached.at < documentLifetimeMs) return cached
    let pending = fetching.get(key)
    if (!pending) {
      pending = fetchDiscovery(outbound, issuer, o)
        .then((discovery) => {
          const entry = { discovery, at: now(), keys: cached?.keys ?? null }
          if (cache.size >= maxIssuers) cache.delete(cache.keys().next().value!)
          cache.set(key, entry)
          return entry
        })

        .finally(() => fetching.delete(key))
      fetching.set(key, pending)
    }
    try {
      return await pending
    } catch (error) {
      // An issuer that is temporarily unreachable must not prevent sign-ins.
      if (cached) return cached
      throw error
    }
  }

  async function keysOf(entry: CachedIssuer, o: IssuerOptions, refetch: boolean): Promise<KeySet> {
    const { keys } = entry
    const isFresh = keys !== null && !refetch && now() - keys.fetchedAt < keysLifetimeMs
    if (keys && (isFresh || now() - keys.triedAt < minFetchIntervalMs)) return keys.set
    if (keys) keys.triedAt = now()
    const { jwksUri } = entry.discovery
    try {
      const found = listAt(await fetchJson(outbound, jwksUri, { publicOnly: o.publicOnly ?? false }), 'keys')
      const set = createLocalJWKSet({ keys: found } as JSONWebKeySet)
      entry.keys = { set, fetchedAt: now(), triedAt: now() }
      return set
    } catch (error) {
      // An issuer that is temporarily unreachable must not prevent sign-ins.
      if (keys && error instanceof OutboundError) return keys.set
      throw error
    }
  }

  return {
    discover: async (issuer, o = {}) => (await getIssuer(issuer, o)).discovery,
    async verify(token, o) {
      const entry = await getIssuer(o.issuer, o)
      const options = {
        algorithms: entry.discovery.algorithms,
        issuer: [o.issuer, ...(o.aliases ?? [])],
        ...(o.audiences ? { audience: o.audiences } : {}),
        requiredClaims: ['exp'],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(now()),
      }
      const check = async (refetch: boolean) => verifyWithAny(token, await keysOf(entry, o, refetch), options)
      const { payload, protectedHeader } = await check(false).catch((error: unknown) => {
        if (matchesNoKey(error)) return check(true)
        throw error
      })
      if (payload.exp! * 1000 < now()) throw new errors.JWTExpired('token is expired', payload, 'exp')
      if (o.accessToken !== undefined) checkAccessToken(payload, protectedHeader.alg, o.accessToken)
      return payload
    },
    forget(issuer) {
      for (const key of cache.keys()) if (key.startsWith(`${issuer} `)) cache.delete(key)
    },
  }
}

/** If keys have no `kid`, or share one, a new key shows only in a signature that matches no known key. */
function matchesNoKey(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed
}

/** Several keys without `kid` may match a token's header, as while an issuer rotates: each is tried. */
async function verifyWithAny(
  token: string,
  set: KeySet,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, set, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options)
      } catch (refusal) {
        if (!(refusal instanceof errors.JWSSignatureVerificationFailed)) throw refusal
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

async function fetchDiscovery(outbound: Outbound, issuer: string, o: IssuerOptions): Promise<Discovery> {
  const url = o.discoveryUrl || `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
  const document = await fetchJson(outbound, url, { publicOnly: o.publicOnly ?? false })
  const named = textAt(document, 'issuer')
  // Otherwise the keys of this document would be used for the issuer that it names.
  if (named !== issuer && !o.aliases?.includes(named)) {
    throw new OutboundError(`issuer mismatch, expected "${issuer}" got "${named}"`)
  }
  const offered = listAt(document, 'id_token_signing_alg_values_supported').filter(
    (one): one is string => typeof one === 'string' && asymmetricAlgorithms.has(one),
  )
  return {
    issuer: named,
    authorizationEndpoint: textAt(document, 'authorization_endpoint'),
    tokenEndpoint: textAt(document, 'token_endpoint'),
    userinfoEndpoint: textAt(document, 'userinfo_endpoint'),
    jwksUri: textAt(document, 'jwks_uri'),
    algorithms: offered.length > 0 ? offered : ['RS256'],
    clientAuth: listAt(document, 'token_endpoint_auth_methods_supported').map(String),
    document: document as Record<string, unknown>,
  }
}

/** OpenID Connect Core §3.1.3.6: the left half of the token's hash. */
function checkAccessToken(payload: JWTPayload, alg: string, accessToken: string): void {
  const claimed = payload['at_hash']
  if (typeof claimed !== 'string' || claimed === '') return
  const digest = createHash(alg === 'EdDSA' ? 'sha512' : `sha${alg.slice(2)}`)
    .update(accessToken)
    .digest()
  if (digest.subarray(0, digest.length / 2).toString('base64url') !== claimed) {
    throw new errors.JWTClaimValidationFailed('at_hash does not fit the access token', payload, 'at_hash')
  }
}
