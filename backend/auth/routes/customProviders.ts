import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { requireAdmin } from '../http/authenticate.ts'
import { readBodyText } from '../http/readBody.ts'
import {
  deleteCustomProvider,
  findCustomProvider,
  insertCustomProvider,
  listCustomProviders,
  renderCustomProvider,
  updateCustomProvider,
  type CustomProvider,
  type CustomProviderFields,
} from '../providers/custom/customProvider.ts'
import {
  checkIdentifier,
  checkProviderParams,
  mergeProviderParams,
  buildCustomProvider,
  readProviderParams,
} from '../providers/custom/readCustomProvider.ts'
import { issuerOptions } from '../providers/custom/createCustomProvider.ts'
import { OutboundError } from '../../runtime/outbound/sendOutbound.ts'

const base = '/admin/custom-providers'

/** /admin/custom-providers: OAuth 2 and OpenID Connect providers that administrators create. */
export function addCustomProviders(app: AuthApp, ctx: AuthContext): void {
  const { outbound, issuers } = ctx.providers

  app.get(base, async (c) => {
    await requireAdmin(ctx, c)
    const type = c.req.query('type') ?? ''
    if (!['', 'oauth2', 'oidc'].includes(type)) {
      throw invalid("type must be either 'oauth2' or 'oidc'")
    }
    const providers = await listCustomProviders(ctx.pool, type || null)
    return c.json({ providers: providers.map(renderCustomProvider) })
  })

  app.post(base, async (c) => {
    await requireAdmin(ctx, c)
    const fields = await buildCustomProvider(outbound, readProviderParams(await readBodyText(c)))
    if (await findCustomProvider(ctx.pool, fields.identifier)) throw alreadyExists()
    if (fields.provider_type === 'oidc') fields.cached_discovery = await refetchDiscovery(ctx, fields)
    const inserted = await insertCustomProvider(ctx.pool, fields)
    if (!inserted) throw alreadyExists()
    return c.json(renderCustomProvider(inserted), 201)
  })

  app.get(`${base}/:identifier`, async (c) => {
    await requireAdmin(ctx, c)
    return c.json(renderCustomProvider(await find(ctx, c.req.param('identifier'))))
  })

  app.put(`${base}/:identifier`, async (c) => {
    await requireAdmin(ctx, c)
    const identifier = c.req.param('identifier')
    checkIdentifier(identifier)
    const params = readProviderParams(await readBodyText(c))
    checkProviderParams(params)
    const provider = await find(ctx, identifier)
    const changed = await mergeProviderParams(outbound, provider, params)
    if (changed.issuer !== null && (params.issuer || params.discovery_url)) {
      if (provider.issuer !== null) issuers.forget(provider.issuer)
      changed.cached_discovery = await refetchDiscovery(ctx, changed)
    }
    const stored = await updateCustomProvider(ctx.pool, provider.id, changed)
    if (!stored) throw notFound()
    return c.json(renderCustomProvider(stored))
  })

  app.delete(`${base}/:identifier`, async (c) => {
    await requireAdmin(ctx, c)
    const identifier = c.req.param('identifier')
    checkIdentifier(identifier)
    const deleted = await deleteCustomProvider(ctx.pool, identifier)
    if (!deleted) throw notFound()
    if (deleted.issuer !== null) issuers.forget(deleted.issuer)
    return c.body(null, 204)
  })
}

const alreadyExists = (): AuthError =>
  new AuthError(400, 'conflict', 'A custom OAuth provider with this identifier already exists')
const notFound = (): AuthError =>
  new AuthError(404, 'custom_provider_not_found', 'Custom OAuth provider not found')

async function find(ctx: AuthContext, identifier: string): Promise<CustomProvider> {
  checkIdentifier(identifier)
  const provider = await findCustomProvider(ctx.pool, identifier)
  if (!provider) throw notFound()
  return provider
}

/** The fields of an issuer's document that are stored and returned. */
const storedFields = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
  'scopes_supported',
  'response_types_supported',
  'grant_types_supported',
  'subject_types_supported',
]
const requiredFields = ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri']

/** Fetches the issuer's document: errors are reported to the administrator rather than at a sign-in. */
async function refetchDiscovery(
  ctx: AuthContext,
  provider: CustomProviderFields,
): Promise<Record<string, unknown>> {
  const { issuers } = ctx.providers
  const issuer = provider.issuer!
  issuers.forget(issuer)
  const options = issuerOptions(provider)
  const { document } = await issuers.discover(issuer, options).catch((error: unknown) => {
    if (!(error instanceof OutboundError)) throw error
    const from = options.discoveryUrl ?? `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
    const message = `OIDC discovery from "${from}" failed: ${error.message}`
    throw new AuthError(400, 'validation_failed', message, { cause: error })
  })
  const missing = requiredFields.filter((name) => !document[name])
  if (missing.length > 0) {
    issuers.forget(issuer)
    throw invalid(`OIDC discovery document is missing required fields: ${missing.join(', ')}`)
  }
  return Object.fromEntries(
    storedFields.filter((name) => name in document).map((name) => [name, document[name]]),
  )
}
