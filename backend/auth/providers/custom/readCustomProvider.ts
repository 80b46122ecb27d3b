import { invalid } from '../../http/AuthError.ts'
import { parseBody, type Body } from '../../http/readBody.ts'
import type { CustomProvider, CustomProviderFields } from './customProvider.ts'
import type { Outbound } from '../createOutbound.ts'
import { ownParameters } from '../ownParameters.ts'
import { isPublicAddress } from '../../../runtime/outbound/isPublicAddress.ts'
import { resolveHost } from '../../../runtime/outbound/resolveHost.ts'
import { hostOf } from '../../../runtime/outbound/sendOutbound.ts'
import { parseUrl } from '../../../runtime/parseUrl.ts'

const shape = {
  provider_type: 'string',
  identifier: 'string',
  name: 'string',
  client_id: 'string',
  client_secret: 'string',
  acceptable_client_ids: 'strings',
  scopes: 'strings',
  pkce_enabled: 'boolean',
  attribute_mapping: 'object',
  custom_claims_allowlist: 'strings',
  authorization_params: 'object',
  enabled: 'boolean',
  email_optional: 'boolean',
  issuer: 'string',
  discovery_url: 'string',
  skip_nonce_check: 'boolean',
  authorization_url: 'string',
  token_url: 'string',
  userinfo_url: 'string',
  jwks_uri: 'string',
} as const
/** An administrator's values for a provider. */
type ProviderParams = Body<typeof shape>

/** Parses the fields of a request. Throws AuthError 400. */
export function readProviderParams(text: string): ProviderParams {
  return parseBody(text, shape)
}

const reserved = new Set([...ownParameters, 'nonce'])
/** Fields of accounts that a provider's response must not set. */
const blockedTargets = new Set([
  'id',
  'aud',
  'role',
  'app_metadata',
  'created_at',
  'updated_at',
  'confirmed_at',
  'email_confirmed_at',
  'phone_confirmed_at',
  'email_verified',
  'phone_verified',
  'banned_until',
  'is_super_admin',
])

/** Validates authorization parameters, attribute mapping and claim names. Throws AuthError 400. */
export function checkProviderParams(params: ProviderParams): void {
  for (const [key, value] of Object.entries(params.authorization_params ?? {})) {
    // Compared case-insensitively, for servers that ignore case; GoTrue compares exactly.
    if (reserved.has(key.toLowerCase())) throw invalid(`Cannot override reserved OAuth parameter: ${key}`)
    if (typeof value !== 'string') throw invalid(`Authorization parameter "${key}" must be a string`)
  }
  for (const target of Object.keys(params.attribute_mapping ?? {})) {
    if (blockedTargets.has(target)) throw invalid(`Cannot map to protected system field: ${target}`)
  }
  if (params.custom_claims_allowlist?.some((key) => key.trim() === '')) {
    throw invalid('custom_claims_allowlist entries must be non-empty strings')
  }
}

/** Throws AuthError 400 if an identifier in a path is invalid. */
export function checkIdentifier(identifier: string): void {
  if (identifier.startsWith('custom:')) return
  throw invalid(`identifier must start with 'custom:' prefix, e.g. 'custom:${identifier}'`)
}

const identifierPattern = /^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$/
const oauth2Urls = ['authorization_url', 'token_url', 'userinfo_url'] as const

/**
 * Creates a provider from an administrator's values. Validates everything except the issuer's discovery
 * document.
 * @throws AuthError 400
 */
export async function buildCustomProvider(
  outbound: Outbound,
  params: ProviderParams,
): Promise<CustomProviderFields> {
  const { provider_type: type } = params
  if (type !== 'oauth2' && type !== 'oidc') {
    throw invalid("provider_type must be either 'oauth2' or 'oidc'")
  }
  if (!params.identifier) throw invalid('identifier is required')
  checkIdentifier(params.identifier)
  for (const name of ['name', 'client_id', 'client_secret'] as const) {
    if (!params[name]) throw invalid(`${name} is required`)
  }
  if (type === 'oidc' && !params.issuer) throw invalid('issuer is required for OIDC providers')
  const missing = type === 'oauth2' ? oauth2Urls.find((name) => !params[name]) : undefined
  if (missing) throw invalid(`${missing} is required for OAuth2 providers`)
  checkProviderParams(params)
  const defaults: CustomProviderFields = {
    provider_type: type,
    identifier: params.identifier,
    name: '',
    client_id: '',
    client_secret: '',
    acceptable_client_ids: [],
    scopes: type === 'oidc' ? ['openid'] : [],
    pkce_enabled: true,
    attribute_mapping: {},
    custom_claims_allowlist: [],
    authorization_params: {},
    enabled: true,
    email_optional: false,
    issuer: null,
    discovery_url: null,
    skip_nonce_check: false,
    cached_discovery: null,
    authorization_url: null,
    token_url: null,
    userinfo_url: null,
    jwks_uri: null,
  }
  return mergeProviderParams(outbound, defaults, params)
}

/** Applies the values of a request; empty texts change nothing. Throws AuthError 400. */
export async function mergeProviderParams<T extends CustomProviderFields>(
  outbound: Outbound,
  provider: T,
  params: ProviderParams,
): Promise<T> {
  const isOidc = provider.provider_type === 'oidc'
  const urls = isOidc ? (['issuer', 'discovery_url'] as const) : ([...oauth2Urls, 'jwks_uri'] as const)
  const texts = ['name', 'client_id', 'client_secret', ...urls] as const
  const others = [
    'acceptable_client_ids',
    'scopes',
    'pkce_enabled',
    'attribute_mapping',
    'custom_claims_allowlist',
    'authorization_params',
    'enabled',
    'email_optional',
    ...(isOidc ? (['skip_nonce_check'] as const) : []),
  ] as const
  const changes: Partial<CustomProvider> = {}
  for (const name of urls) if (params[name]) await assertPublicUrl(outbound, params[name])
  for (const name of texts) if (params[name]) Object.assign(changes, { [name]: params[name] })
  for (const name of others) if (params[name] !== undefined) Object.assign(changes, { [name]: params[name] })
  const { scopes } = changes
  if (isOidc && scopes && !scopes.includes('openid')) changes.scopes = ['openid', ...scopes]
  const merged = { ...provider, ...changes }
  checkConstraints(merged)
  return merged
}

/** Checks the table's constraints in advance: GoTrue responds with 500 to a violation. */
function checkConstraints(provider: CustomProviderFields): void {
  if (!identifierPattern.test(provider.identifier)) {
    throw invalid('identifier must be 2 to 50 lower-case letters, digits, colons and hyphens')
  }
  if (provider.name.length > 100) throw invalid('name must be at most 100 characters long')
  if (provider.client_id.length > 512) throw invalid('client_id must be at most 512 characters long')
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '::1', '0.0.0.0', '::'])

/**
 * Checks that a URL from the API uses TLS and a public address: the holder of a service key must not reach the
 * server's internal network. Throws AuthError 400.
 */
async function assertPublicUrl(outbound: Outbound, text: string): Promise<void> {
  const url = text.length > 2048 ? null : parseUrl(text)
  if (url === null) throw invalid('Invalid URL format')
  if (url.protocol !== 'https:') throw invalid('URL must use HTTPS')
  const host = hostOf(url)
  if (host === '') throw invalid('URL must have a valid hostname')
  if (loopbackHosts.has(host) || host.endsWith('.localhost')) {
    throw invalid('URL cannot point to localhost or loopback addresses')
  }
  const addresses = await resolveHost(url, outbound.resolve).catch(() => [])
  if (addresses.length === 0) throw invalid('Unable to resolve hostname')
  if (!addresses.every(isPublicAddress)) throw invalid('URL cannot resolve to private network addresses')
}
