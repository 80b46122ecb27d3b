import { AuthError, invalid } from '../../auth/http/AuthError.ts'
import type { AuthMethod, ClientType } from './oauthClient.ts'
import type { AuthRequest } from '../../auth/http/authenticate.ts'
import { parseBody, readBodyText } from '../../auth/http/readBody.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/** Client authentication methods of the token endpoint (RFC 7591 §2). */
export const authMethods: readonly AuthMethod[] = ['none', 'client_secret_basic', 'client_secret_post']

/** The fields of a client in a request; `undefined` if missing. */
export interface ClientFields {
  redirect_uris?: string[] | undefined
  client_type?: string | undefined
  token_endpoint_auth_method?: string | undefined
  grant_types?: string[] | undefined
  client_name?: string | undefined
  client_uri?: string | undefined
  logo_uri?: string | undefined
}

export const invalidClient = (message: string): AuthError => invalid(message)

/** Schemes whose URLs contain what the browser runs or shows. */
const activeSchemes = new Set(['javascript', 'data', 'file', 'vbscript', 'about', 'blob'])
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Why `uri` is invalid as a redirect URI (RFC 6749 §3.1.2); null if it is valid. */
function invalidRedirectReason(uri: string): string | null {
  if (uri === '') return 'redirect URI cannot be empty'
  // The table stores a comma-separated list. Hosted Supabase accepts a comma, and so stores
  // "https://a.example/,javascript:x" as two URIs, of which it never validated the second.
  if (uri.includes(',')) return 'comma not allowed in redirect URI'
  // Browsers interpret these characters differently than other parsers: "https://a.example\@b.example".
  if (/[\\\s]/.test(uri) || [...uri].some((c) => c < ' ' || c === '\u007f')) return 'invalid URL format'
  const scheme = /^([a-z][a-z0-9+.-]*):\/\/[^/?#]/i.exec(uri)?.[1]?.toLowerCase()
  if (scheme === undefined) return 'must have scheme and host'
  if (activeSchemes.has(scheme)) return `scheme '${scheme}' is not allowed for security reasons`
  let parsed: URL
  try {
    parsed = new URL(uri)
  } catch {
    return 'invalid URL format'
  }
  if (parsed.hostname === '') return 'must have scheme and host'
  if (scheme === 'http' && !loopback.has(parsed.hostname)) return 'HTTP scheme only allowed for localhost'
  // It is displayed to people before they consent, who could take it for the host.
  if (parsed.username !== '' || parsed.password !== '') return 'user not allowed in redirect URI'
  if (parsed.hash !== '') return 'fragment not allowed in redirect URI'
  return null
}

function checkRedirectUris(uris: string[]): void {
  if (uris.length > 10) throw invalidClient('redirect_uris cannot exceed 10 items')
  for (const uri of uris) {
    const reason = invalidRedirectReason(uri)
    if (reason !== null) throw invalidClient(`invalid redirect_uri '${uri}': ${reason}`)
  }
}

function checkGrantTypes(grants: string[]): void {
  if (grants.length === 0) throw invalidClient('grant_types cannot be empty')
  if (grants.some((grant) => grant !== 'authorization_code' && grant !== 'refresh_token')) {
    const message = "grant_types must only contain 'authorization_code' and/or 'refresh_token'"
    throw invalidClient(message)
  }
}

/**
 * Validates the URL of a page or logo that users are shown. Hosted Supabase accepts any, so a consent page may
 * link to a script.
 */
function checkPageUri(name: 'client_uri' | 'logo_uri', uri: string): void {
  if (uri === '') return
  if (uri.length > 2048) throw invalidClient(`${name} cannot exceed 2048 characters`)
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase()
  const valid =
    scheme === undefined ? uri.startsWith('/') : parseUrl(uri) !== null && !activeSchemes.has(scheme)
  if (!valid) throw invalidClient(`${name} must be a valid URL`)
}

function checkTexts(fields: ClientFields): void {
  // Bytes, as on hosted Supabase, so never more characters than the column accepts.
  if (Buffer.byteLength(fields.client_name ?? '') > 1024) {
    throw invalidClient('client_name cannot exceed 1024 characters')
  }
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(fields.client_name ?? '')) {
    throw invalidClient('client_name cannot contain characters that control how text is displayed')
  }
  checkPageUri('client_uri', fields.client_uri ?? '')
  checkPageUri('logo_uri', fields.logo_uri ?? '')
}

/** The authentication methods of a client type. */
export function authMethodsOf(type: ClientType): AuthMethod[] {
  return type === 'public' ? ['none'] : ['client_secret_basic', 'client_secret_post']
}

const clientTypeOf = (method: AuthMethod): ClientType => (method === 'none' ? 'public' : 'confidential')
const isAuthMethod = (method: string): method is AuthMethod => authMethods.includes(method as AuthMethod)
const formatList = (methods: readonly string[]): string => `[${methods.join(' ')}]`

/**
 * Validates a new client, and returns its type and authentication method.
 * @throws AuthError 400 validation_failed
 */
export function validateNewClient(fields: ClientFields): { type: ClientType; method: AuthMethod } {
  const uris = fields.redirect_uris ?? []
  if (uris.length === 0) throw invalidClient('redirect_uris is required')
  checkRedirectUris(uris)
  if (fields.grant_types && fields.grant_types.length > 0) checkGrantTypes(fields.grant_types)
  checkTexts(fields)
  const { client_type: type = '', token_endpoint_auth_method: method = '' } = fields
  if (type !== '' && type !== 'public' && type !== 'confidential') {
    throw invalidClient("client_type must be 'public' or 'confidential'")
  }
  if (method === '') {
    const newType = type || 'confidential'
    return { type: newType, method: authMethodsOf(newType)[0]! }
  }
  if (!isAuthMethod(method)) {
    throw invalidClient(`token_endpoint_auth_method must be one of: ${formatList(authMethods)}`)
  }
  const expected = clientTypeOf(method)
  if (type !== '' && type !== expected) {
    const message = `client_type '${type}' is inconsistent with token_endpoint_auth_method '${method}'`
    throw invalidClient(`${message} (expected client_type '${expected}')`)
  }
  return { type: expected, method }
}

/**
 * Validates changes of a client of this type.
 * @throws AuthError 400 validation_failed
 */
export function validateClientChange(fields: ClientFields, type: ClientType): void {
  if (fields.redirect_uris) {
    if (fields.redirect_uris.length === 0) throw invalidClient('redirect_uris cannot be empty')
    checkRedirectUris(fields.redirect_uris)
  }
  if (fields.grant_types) checkGrantTypes(fields.grant_types)
  checkTexts(fields)
  const method = fields.token_endpoint_auth_method
  if (method === undefined) return
  if (!isAuthMethod(method)) {
    throw invalidClient(`invalid token_endpoint_auth_method: must be one of ${formatList(authMethods)}`)
  }
  const valid = authMethodsOf(type)
  if (!valid.includes(method)) {
    const message = `token_endpoint_auth_method '${method}' is not valid for client_type '${type}'`
    throw invalidClient(`${message}; valid methods: ${formatList(valid)}`)
  }
}

/**
 * Reads the fields of a client from a request; other fields are ignored.
 * @throws AuthError 400 bad_json, 413
 */
export async function readClientFields(c: AuthRequest): Promise<ClientFields> {
  const text = await readBodyText(c)
  try {
    return parseBody(text, {
      redirect_uris: 'strings',
      client_type: 'string',
      token_endpoint_auth_method: 'string',
      grant_types: 'strings',
      client_name: 'string',
      client_uri: 'string',
      logo_uri: 'string',
    })
  } catch {
    throw new AuthError(400, 'bad_json', 'Invalid JSON body')
  }
}
