import { decodeJwt, decodeProtectedHeader, errors, importJWK, type CryptoKey, type JWK } from 'jose'
import type { Verified, VerifyToken } from '../../../wire/claims.ts'
import type { Logger } from '../../logging/logger.ts'
import type { TrustedIssuer } from '../settings/thirdPartySettings.ts'
import { checkToken } from './createVerifyToken.ts'

/** Fetches JSON, with limits of time and size. Rejects if there is none. */
export type FetchJson = (url: string) => Promise<unknown>

/** Published keys are fetched again after this time, in ms; hosted services rotate theirs within days. */
const maxKeysAgeMs = 600_000
/** Minimum interval between fetches for a key that is not known yet, in ms. */
const minFetchIntervalMs = 30_000
const maxKeys = 100
const acceptedAlgorithms = ['RS256', 'ES256']

/**
 * Also accepts the tokens of another issuer, as hosted Supabase does with `[auth.third_party]`: its keys are
 * found through its discovery document. Its tokens are for the data only; as on hosted Supabase, they do not
 * authenticate at the auth service. A token without a role counts as `anon`.
 *
 * Unlike on hosted Supabase, two kinds of tokens are rejected: those of another project or tenant that are
 * signed with the same keys, and those with a service's role such as `service_role`, which would let anyone who
 * edits claims at the issuer bypass every policy here.
 */
export function createThirdPartyVerifier(
  verifyOwn: VerifyToken,
  issuer: TrustedIssuer,
  o: { fetchJson: FetchJson; log: Logger; now?: () => number },
): VerifyToken {
  const now = o.now ?? Date.now
  let keys = new Map<string, { alg: string; key: CryptoKey | Uint8Array }>()
  let fetchedAt = -Infinity
  let fetching: Promise<void> | null = null

  const fetchKeys = async (): Promise<void> => {
    const text = `${issuer.url}/.well-known/openid-configuration`
    const { jwks_uri: jwksUri } = (await o.fetchJson(text)) as { jwks_uri?: unknown }
    if (typeof jwksUri !== 'string') throw new Error('the discovery document names no jwks_uri')
    const { keys: found } = (await o.fetchJson(jwksUri)) as { keys?: unknown }
    if (!Array.isArray(found)) throw new Error('the published keys are no list')
    keys = await readKeys(found)
  }
  /** One fetch at a time, however many tokens wait for it. If it fails, the keys stay as they were. */
  const refresh = (): Promise<void> => {
    fetching ??= fetchKeys()
      .catch((error: Error) => {
        o.log.warn('auth.third_party_keys_failed', { issuer: issuer.url, reason: error.message })
      })
      .finally(() => {
        fetchedAt = now()
        fetching = null
      })
    return fetching
  }
  const findKey = async (kid: string, alg: string): Promise<CryptoKey | Uint8Array> => {
    const age = now() - fetchedAt
    if (age > maxKeysAgeMs || (!keys.has(kid) && age > minFetchIntervalMs)) await refresh()
    const found = keys.get(kid)
    if (!found) throw new errors.JWKSNoMatchingKey(`unrecognized JWT kid for algorithm ${alg}`)
    if (found.alg !== alg) throw new errors.JOSEAlgNotAllowed('algorithm does not fit the key')
    return found.key
  }

  return async (token) => {
    const verified = await verifyOwn(token)
    if (verified.ok || !claimsIssuer(issuer, token)) return verified
    const theirs = await checkToken(token, ({ kid = '', alg }) => findKey(kid, alg), {
      algorithms: acceptedAlgorithms,
      currentDate: new Date(now()),
      // Clocks differ.
      clockTolerance: 10,
      // Some issuers have a trailing slash.
      issuer: [issuer.url, `${issuer.url}/`],
      requiredClaims: ['exp', 'sub'],
      ...(issuer.audience === null ? {} : { audience: issuer.audience }),
    })
    return rejectPrivilegedRole(theirs)
  }
}

/** Roles of services and of PostgreSQL, to which no policy applies. */
const privilegedRoles = /^(service_role|postgres|authenticator|dashboard_user|none|(supabase|pg)_.*)$/i

function rejectPrivilegedRole(verified: Verified): Verified {
  if (!verified.ok || !privilegedRoles.test(verified.caller.role)) return verified
  return { ok: false, fault: 'malformed', message: 'token has an invalid role claim' }
}

/** Whether a token claims to be from this issuer: only then are keys fetched. */
function claimsIssuer(issuer: TrustedIssuer, token: string): boolean {
  try {
    const { alg, kid } = decodeProtectedHeader(token)
    const from = decodeJwt(token).iss?.replace(/\/$/, '')
    return from === issuer.url && kid !== undefined && acceptedAlgorithms.includes(alg ?? '')
  } catch {
    return false
  }
}

async function readKeys(
  found: unknown[],
): Promise<Map<string, { alg: string; key: CryptoKey | Uint8Array }>> {
  const keys = new Map<string, { alg: string; key: CryptoKey | Uint8Array }>()
  for (const jwk of found.slice(0, maxKeys) as JWK[]) {
    const alg = jwk?.alg ?? (jwk?.kty === 'RSA' ? 'RS256' : jwk?.crv === 'P-256' ? 'ES256' : '')
    if (!jwk?.kid || !acceptedAlgorithms.includes(alg) || (jwk.use !== undefined && jwk.use !== 'sig'))
      continue
    // An invalid key must not make the others unusable.
    const key = await importJWK(jwk, alg).catch(() => null)
    if (key) keys.set(jwk.kid, { alg, key })
  }
  return keys
}
