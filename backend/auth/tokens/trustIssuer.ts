import { decodeJwt, decodeProtectedHeader, errors, importJWK, type CryptoKey, type JWK } from 'jose'
import type { Verified, VerifyToken } from '../../../wire/claims.ts'
import type { Logger } from '../../logging/log.ts'
import type { TrustedIssuer } from '../settings/thirdPartySettings.ts'
import { checkToken } from './createVerifyToken.ts'

/** Gives what stands at a URL as JSON, within bounds of time and size. Rejects where nothing does. */
export type AskJson = (url: string) => Promise<unknown>

/** Published keys are asked for again after so long, in ms; hosted services rotate theirs within days. */
const freshFor = 600_000
/** And after so long at most where a token names a key that is not among them, in ms. */
const askedEvery = 30_000
const mostKeys = 100
const accepted = ['RS256', 'ES256']

/**
 * Takes the tokens of another service beside ours, as hosted does it with `[auth.third_party]`: the keys are those
 * that its discovery document leads to. Its tokens are for the data alone; here, as on hosted, they sign nobody in
 * to the auth service. One that names no role counts as `anon`.
 *
 * Two things hosted lets pass are refused: tokens of another project or tenant that the same keys have signed, and
 * roles of services such as `service_role`, which would put whoever edits claims over there above every policy here.
 */
export function trustIssuer(
  ours: VerifyToken,
  issuer: TrustedIssuer,
  o: { askJson: AskJson; log: Logger; now?: () => number },
): VerifyToken {
  const now = o.now ?? Date.now
  let keys = new Map<string, { alg: string; key: CryptoKey | Uint8Array }>()
  let askedAt = -Infinity
  let asking: Promise<void> | null = null

  const ask = async (): Promise<void> => {
    const text = `${issuer.url}/.well-known/openid-configuration`
    const { jwks_uri: place } = (await o.askJson(text)) as { jwks_uri?: unknown }
    if (typeof place !== 'string') throw new Error('the discovery document names no jwks_uri')
    const { keys: found } = (await o.askJson(place)) as { keys?: unknown }
    if (!Array.isArray(found)) throw new Error('the published keys are no list')
    keys = await readKeys(found)
  }
  /** One question at a time, however many tokens wait for it. A service that is away leaves the keys as they were. */
  const refresh = (): Promise<void> => {
    asking ??= ask()
      .catch((error: Error) => {
        o.log.warn('auth.third_party_keys_failed', { issuer: issuer.url, reason: error.message })
      })
      .finally(() => {
        askedAt = now()
        asking = null
      })
    return asking
  }
  const findKey = async (kid: string, alg: string): Promise<CryptoKey | Uint8Array> => {
    const age = now() - askedAt
    if (age > freshFor || (!keys.has(kid) && age > askedEvery)) await refresh()
    const found = keys.get(kid)
    if (!found) throw new errors.JWKSNoMatchingKey(`unrecognized JWT kid for algorithm ${alg}`)
    if (found.alg !== alg) throw new errors.JOSEAlgNotAllowed('algorithm does not fit the key')
    return found.key
  }

  return async (token) => {
    const verified = await ours(token)
    if (verified.ok || !isFrom(issuer, token)) return verified
    const theirs = await checkToken(token, ({ kid = '', alg }) => findKey(kid, alg), {
      algorithms: accepted,
      currentDate: new Date(now()),
      // Others count their seconds by another clock.
      clockTolerance: 10,
      // Some write theirs with a slash at the end.
      issuer: [issuer.url, `${issuer.url}/`],
      requiredClaims: ['exp', 'sub'],
      ...(issuer.audience === null ? {} : { audience: issuer.audience }),
    })
    return refuseAboveAll(theirs)
  }
}

/** Roles of services and of the database: a service that takes its own for a caller's is under no policy. */
const aboveAll = /^(service_role|postgres|authenticator|dashboard_user|none|(supabase|pg)_.*)$/i

function refuseAboveAll(verified: Verified): Verified {
  if (!verified.ok || !aboveAll.test(verified.caller.role)) return verified
  return { ok: false, fault: 'malformed', message: 'token has an invalid role claim' }
}

/** Whether a token says that it is of this issuer: only then is anybody asked for keys. */
function isFrom(issuer: TrustedIssuer, token: string): boolean {
  try {
    const { alg, kid } = decodeProtectedHeader(token)
    const from = decodeJwt(token).iss?.replace(/\/$/, '')
    return from === issuer.url && kid !== undefined && accepted.includes(alg ?? '')
  } catch {
    return false
  }
}

async function readKeys(
  found: unknown[],
): Promise<Map<string, { alg: string; key: CryptoKey | Uint8Array }>> {
  const keys = new Map<string, { alg: string; key: CryptoKey | Uint8Array }>()
  for (const jwk of found.slice(0, mostKeys) as JWK[]) {
    const alg = jwk?.alg ?? (jwk?.kty === 'RSA' ? 'RS256' : jwk?.crv === 'P-256' ? 'ES256' : '')
    if (!jwk?.kid || !accepted.includes(alg) || (jwk.use !== undefined && jwk.use !== 'sig')) continue
    // One that can't be read must not take the others along.
    const key = await importJWK(jwk, alg).catch(() => null)
    if (key) keys.set(jwk.kid, { alg, key })
  }
  return keys
}
