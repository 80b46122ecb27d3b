import { randomUUID } from 'node:crypto'
import type { AuthContext, RedirectContext } from '../../AuthContext.ts'
import { AuthError } from '../../http/AuthError.ts'
import { readRedirectUrl, type AuthRequest } from '../../http/authenticate.ts'
import { parseChallenge } from '../../rows/flowState.ts'
import { ProviderUnavailable } from '../createProviders.ts'
import { findInvitedUserId } from '../linking/acceptInvite.ts'
import type { Provider } from '../Provider.ts'
import { storeProviderFlow } from './providerFlow.ts'
import { OutboundError } from '../../../runtime/outbound/sendOutbound.ts'
import type { Providers } from '../createProviders.ts'
import { ownParameters } from '../ownParameters.ts'

/**
 * Parameters that a request must not pass to the provider: those that this service sets (compared
 * case-insensitively), and documents that could replace them (OpenID Connect Core §6).
 */
const reservedParameters = new Set([...ownParameters, 'request', 'request_uri', 'registration'])

/**
 * Parameters for this service. GoTrue also passes them to the provider, including the token of an invitation.
 */
const serviceParameters = new Set([
  'provider',
  'scopes',
  'redirect_to',
  'invite_token',
  'skip_http_redirect',
  'apikey',
])

/**
 * Begins a sign-in as the query of the request describes it, and returns the provider's URL to redirect to.
 * @param linkTo the account to link the identity to; null for a sign-in
 * @throws AuthError 400 validation_failed, 404 user_not_found
 */
export async function beginProviderFlow(
  ctx: RedirectContext & Pick<AuthContext, 'pool' | 'providers'>,
  c: AuthRequest,
  linkTo: string | null,
): Promise<string> {
  const name = c.req.query('provider') ?? ''
  const provider = await findProvider(ctx.providers, name, c.req.query('scopes') ?? '')
  const inviteToken = c.req.query('invite_token') ?? ''
  if (inviteToken !== '') {
    const invited = await ctx.pool.withClient((client) => findInvitedUserId(client, inviteToken))
    if (invited === null) throw new AuthError(404, 'user_not_found', 'User identified by token not found')
  }
  const redirectTo = readRedirectUrl(ctx, c)
  const challenge = parseChallenge(c.req.query())
  const id = randomUUID()
  const { url, secret } = await provider
    .begin({ state: id, params: forwardedParameters(c) })
    .catch((error: unknown) => {
      throw toUnreachableError(error)
    })
  await storeProviderFlow(ctx.pool, {
    id,
    provider: provider.name,
    challenge,
    redirectTo,
    inviteToken,
    linkTo,
    emailOptional: provider.emailOptional,
    secret,
  })
  return url
}

/** Finds the provider to redirect to. Throws AuthError 400 validation_failed. */
async function findProvider(providers: Providers, name: string, scopes: string): Promise<Provider> {
  try {
    return await providers.find(name, scopes)
  } catch (error) {
    if (error instanceof ProviderUnavailable) {
      const message = `Unsupported provider: ${error.message}`
      throw new AuthError(400, 'validation_failed', message, { cause: error })
    }
    throw toUnreachableError(error)
  }
}

/**
 * The parameters that the application passes to the provider. WorkOS has its own `provider` parameter, which is
 * `workos_provider` here.
 */
function forwardedParameters(c: AuthRequest): Record<string, string> {
  const forwarded: Record<string, string> = {}
  for (const [name, value] of Object.entries(c.req.query())) {
    if (serviceParameters.has(name) || reservedParameters.has(name.toLowerCase())) continue
    forwarded[name === 'workos_provider' ? 'provider' : name] = value
  }
  return forwarded
}

/** The error for an unreachable provider; its cause is only logged. */
function toUnreachableError(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error
  const message = 'Unsupported provider: the provider could not be reached'
  return new AuthError(400, 'validation_failed', message, { cause: error })
}
