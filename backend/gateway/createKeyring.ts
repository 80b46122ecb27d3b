import { decodeJwt } from 'jose'
import type { IncomingMessage } from 'node:http'
import type { Caller, Claims } from '../../wire/claims.ts'
import type { ErrorResponse } from './responses.ts'

export interface ApiKeys {
  /** Legacy keys: JWTs whose claims are those of their role. */
  anonKey: string
  serviceRoleKey: string
  /** `sb_publishable_…` and `sb_secret_…`. */
  publishableKey: string
  secretKey: string
}

/** The caller of a request, as far as the gateway can identify it. */
export interface GatewayCaller {
  apiCaller: Caller
  /** The token of `Authorization`, "" where it has none; null when absent, an `sb_` key, or the API key itself. */
  bearer: string | null
}

const missingKey: ErrorResponse = {
  status: 401,
  body: {
    message: 'No API key found in request',
    hint: 'No `apikey` request header or url param was found.',
  },
}

const unknownKey: ErrorResponse = {
  status: 401,
  body: {
    message: 'Invalid API key',
    hint: 'Double check your Supabase `anon` or `service_role` API key.',
  },
}

const exposedSecretKey: ErrorResponse = {
  status: 401,
  body: {
    message: 'Forbidden use of secret API key in browser',
    hint: 'Secret API keys can only be used in a protected environment and should never be used in a browser. Delete this secret API key immediately.',
  },
}

/** A caller with the role's claims; a legacy key has its own, which this installation issued. */
function callerOfKey(role: string, jwt: string | null): Caller {
  const claims = jwt === null ? { role } : decodeJwt<Claims>(jwt)
  return { role, claims, claimsJson: JSON.stringify(claims) }
}

/**
 * Whether headers indicate a browser. `sec-fetch-mode` does not: Node's fetch sends it too.
 */
function isBrowser({ headers }: IncomingMessage): boolean {
  return (
    headers.origin !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    headers['sec-fetch-dest'] !== undefined ||
    (headers['user-agent'] ?? '').startsWith('Mozilla/')
  )
}

/** The key in the header, else in the query, where a browser's WebSocket has to send it. */
function keyOf(incoming: IncomingMessage): string | null {
  const header = incoming.headers['apikey']
  if (typeof header === 'string' && header !== '') return header
  const url = incoming.url ?? ''
  const at = url.indexOf('?')
  if (at < 0 || !url.includes('apikey=', at)) return null
  return new URLSearchParams(url.slice(at + 1)).get('apikey')
}

/**
 * The access token of a request, which is not an API key of either kind; "" for "Bearer" without a token.
 * @param o.bare whether a token without "Bearer" is accepted, as by the storage service of Supabase
 */
export function bearerOf(
  incoming: IncomingMessage,
  apiKey: string | null,
  o: { bare: boolean } = { bare: false },
): string | null {
  const header = incoming.headers.authorization?.trim() ?? ''
  if (header === '' || !(o.bare || /^bearer(\s|$)/i.test(header))) return null
  const token = header.replace(/^bearer(\s+|$)/i, '')
  return token.startsWith('sb_') || token === apiKey ? null : token
}

export interface Keyring {
  /**
   * The caller of a request. `keyless` lets a request without a key pass as `anon`; a wrong key never passes.
   * `bare`: see `bearerOf`.
   */
  authenticate(
    incoming: IncomingMessage,
    o: { keyless: boolean; bare?: boolean },
  ): GatewayCaller | ErrorResponse
}

/**
 * Maps the four keys of an installation to roles.
 * @param verifyKey returns the caller of a key that is a JWT of this installation's secret or signing keys, else null
 */
export function createKeyring(
  keys: ApiKeys,
  verifyKey: (key: string) => Caller | null = () => null,
): Keyring {
  const anon = callerOfKey('anon', null)
  const callers = new Map<string, Caller>([
    [keys.anonKey, callerOfKey('anon', keys.anonKey)],
    [keys.serviceRoleKey, callerOfKey('service_role', keys.serviceRoleKey)],
    [keys.publishableKey, anon],
    [keys.secretKey, callerOfKey('service_role', null)],
  ])
  return {
    authenticate(incoming, { keyless, bare = false }) {
      const key = keyOf(incoming)
      if (key === null) {
        return keyless ? { apiCaller: anon, bearer: bearerOf(incoming, null, { bare }) } : missingKey
      }
      const apiCaller = callers.get(key) ?? verifyKey(key)
      if (!apiCaller) return unknownKey
      if (key === keys.secretKey && isBrowser(incoming)) return exposedSecretKey
      return { apiCaller, bearer: bearerOf(incoming, key, { bare }) }
    },
  }
}
