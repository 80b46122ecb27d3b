import { randomUUID } from 'node:crypto'
import type { AuthContext } from '../../AuthContext.ts'
import { AuthError } from '../../http/AuthError.ts'
import { redirectOf, type AuthRequest } from '../../http/callers.ts'
import { parseChallenge } from '../../rows/flowState.ts'
import { ProviderUnusable } from '../createProviders.ts'
import { findInvited } from '../linking/acceptInvite.ts'
import { OutboundError } from '../outbound/createOutbound.ts'
import type { Provider } from '../Provider.ts'
import { storeProviderFlow } from './providerFlow.ts'

/**
 * What a request's own parameters may not set at the provider: what this service decides (in any case of letters),
 * and documents that could say it instead (OpenID Connect Core §6).
 */
const reserved = new Set([
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'request',
  'request_uri',
  'registration',
])

/** Parameters of ours. Upstream tells the provider of them too, of an invitation's token among them. */
const own = new Set(['provider', 'scopes', 'redirect_to', 'invite_token', 'skip_http_redirect', 'apikey'])

/**
 * The address at the provider where a sign-in begins, as the query of the request asks for it.
 * @param linkTo the account that the identity is to be added to; null for a sign-in
 * @throws AuthError 400 validation_failed, 404 user_not_found
 */
export async function beginProviderFlow(
  ctx: AuthContext,
  c: AuthRequest,
  linkTo: string | null,
): Promise<string> {
  const name = c.req.query('provider') ?? ''
  const provider = await useProvider(ctx, name, c.req.query('scopes') ?? '')
  const inviteToken = c.req.query('invite_token') ?? ''
  if (inviteToken !== '') {
    const invited = await ctx.pool.withClient((client) => findInvited(client, inviteToken))
    if (invited === null) throw new AuthError(404, 'user_not_found', 'User identified by token not found')
  }
  const redirectTo = redirectOf(ctx, c)
  const challenge = parseChallenge(
    c.req.query('code_challenge') ?? '',
    c.req.query('code_challenge_method') ?? '',
  )
  const id = randomUUID()
  const { url, keep } = await provider.begin({ state: id, params: passedOn(c) }).catch((error: unknown) => {
    throw asUnreachable(error)
  })
  await storeProviderFlow(ctx.pool, {
    id,
    provider: provider.name,
    challenge,
    redirectTo,
    inviteToken,
    linkTo,
    emailOptional: provider.emailOptional,
    keep,
  })
  return url
}

/** A provider that people are sent to. Throws AuthError 400 validation_failed. */
async function useProvider(ctx: AuthContext, name: string, scopes: string): Promise<Provider> {
  try {
    return await ctx.providers.use(name, scopes)
  } catch (error) {
    if (error instanceof ProviderUnusable) {
      const message = `Unsupported provider: ${error.message}`
      throw new AuthError(400, 'validation_failed', message, { cause: error })
    }
    throw asUnreachable(error)
  }
}

/** What the application says to the provider. WorkOS has a `provider` of its own, which is ours here. */
function passedOn(c: AuthRequest): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(c.req.query())) {
    if (own.has(name) || reserved.has(name.toLowerCase())) continue
    passed[name === 'workos_provider' ? 'provider' : name] = value
  }
  return passed
}

/** A provider that can't be reached is nobody's mistake here; what exactly is wrong with it is for the log. */
function asUnreachable(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error
  const message = 'Unsupported provider: the provider could not be reached'
  return new AuthError(400, 'validation_failed', message, { cause: error })
}
