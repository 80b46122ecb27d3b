import { AuthError, OAuthError } from '../../auth/http/AuthError.ts'
import { type AuthRequest, isUuid } from '../../auth/http/authenticate.ts'
import { parseBody, readBodyText } from '../../auth/http/readBody.ts'
import type { Queryable } from '../../auth/rows/findUser.ts'
import { isClientSecret, findOAuthClient, type AuthMethod, type OAuthClient } from './oauthClient.ts'

const fields = {
  grant_type: 'string',
  code: 'string',
  refresh_token: 'string',
  redirect_uri: 'string',
  client_id: 'string',
  client_secret: 'string',
  code_verifier: 'string',
  resource: 'string',
} as const

/** The parameters of a token request; missing ones are empty. */
export type TokenRequest = Record<keyof typeof fields, string>

interface Credentials {
  id: string
  secret: string
  method: AuthMethod
}

const invalidCredentials = (message: string): AuthError => new AuthError(400, 'invalid_credentials', message)

/**
 * Authenticates the client of a token request by its registered method, and returns its parameters.
 * @throws AuthError 400 invalid_credentials, in GoTrue's format rather than that of OAuth; OAuthError
 */
export async function authenticateClient(
  db: Queryable,
  c: AuthRequest,
): Promise<{ client: OAuthClient; request: TokenRequest }> {
  const text = await readBodyText(c)
  const isJson = (c.req.header('content-type') ?? '').includes('application/json')
  const basic = parseBasic(c.req.header('authorization') ?? '')
  const parsed = parseRequest(text, isJson)
  if (parsed === null && basic === null)
    throw invalidCredentials('Invalid client credentials: failed to parse JSON body')
  const credentials = basic ?? credentialsInBody(parsed!)
  if (credentials.id === '') throw invalidCredentials('Invalid client credentials: client_id is required')
  if (!isUuid(credentials.id)) throw invalidCredentials('Invalid client_id format')
  const client = await findOAuthClient(db, credentials.id)
  if (!client) throw invalidCredentials('Invalid client credentials')
  checkCredentials(client, credentials)
  if (parsed === null) throw new OAuthError('invalid_request', 'Invalid JSON body')
  return { client, request: parsed }
}

/** `Basic <base64 of id:secret>` (RFC 6749 §2.3.1); null for headers of another scheme. */
function parseBasic(header: string): Credentials | null {
  if (!header.startsWith('Basic ')) return null
  const encoded = header.slice('Basic '.length)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.length % 4 !== 0) {
    throw invalidCredentials('Invalid client credentials: invalid basic auth encoding')
  }
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 0) throw invalidCredentials('Invalid client credentials: invalid basic auth format')
  return { id: decoded.slice(0, colon), secret: decoded.slice(colon + 1), method: 'client_secret_basic' }
}

function credentialsInBody(parsed: TokenRequest): Credentials {
  const { client_id: id, client_secret: secret } = parsed
  return { id, secret, method: secret === '' ? 'none' : 'client_secret_post' }
}

/**
 * Parses a form or JSON body; null if JSON is invalid. Hosted Supabase also reads the query: secrets and codes
 * in URLs end up in logs, and RFC 6749 §2.3.1 forbids them there.
 */
function parseRequest(text: string, isJson: boolean): TokenRequest | null {
  const form = new URLSearchParams(text)
  const names = Object.keys(fields) as (keyof TokenRequest)[]
  if (!isJson) {
    // Hosted Supabase reads `resource` from JSON only, so a form with a different one is not rejected.
    const read = names.map((name) => [name, name === 'resource' ? '' : (form.get(name) ?? '')])
    return Object.fromEntries(read) as TokenRequest
  }
  try {
    const body = parseBody(text, fields)
    return Object.fromEntries(names.map((name) => [name, body[name] ?? ''])) as TokenRequest
  } catch {
    return null
  }
}

function checkCredentials(client: OAuthClient, given: Credentials): void {
  if (given.method !== client.authMethod) {
    const mismatch = `client is registered for '${client.authMethod}' but '${given.method}' was used`
    throw invalidCredentials(`invalid authentication method: ${mismatch}`)
  }
  if (client.clientType === 'public') {
    if (given.secret !== '') throw invalidCredentials('public clients must not provide client_secret')
    return
  }
  if (given.secret === '') throw invalidCredentials('confidential clients must provide client_secret')
  if (!isClientSecret(given.secret, client.secretHash)) throw invalidCredentials('invalid client credentials')
}
