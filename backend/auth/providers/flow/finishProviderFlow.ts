import type pg from 'pg'
import { retryUniqueViolation } from '../../accounts/databaseErrors.ts'
import type { AuthContext } from '../../AuthContext.ts'
import { AuthError } from '../../http/AuthError.ts'
import { issueSession, type ClientInfo, type SessionResponse } from '../../sessions/sessions.ts'
import type { UserRow } from '../../rows/user.ts'
import { transact } from '../../transact.ts'
import { ProviderUnusable } from '../createProviders.ts'
import { acceptInvite } from '../linking/acceptInvite.ts'
import { linkIdentity } from '../linking/linkIdentity.ts'
import { takeInUser, type Arrival } from '../linking/takeInUser.ts'
import type { Provider, ProviderTokens, ProviderUser } from '../Provider.ts'
import { usableEmails } from '../usableEmails.ts'
import { ProviderRefusal } from './ProviderRefusal.ts'
import { claimFlow, endFlow, settleFlow, takeKept, type ProviderFlow } from './providerFlow.ts'

/** The result of a flow: a code for the holder of the verifier, or a session. */
export type Finished = { code: string } | { session: SessionResponse }

/**
 * Finishes a sign-in after the provider's redirect: fetches the user, and finds, creates or links the account.
 * @param returned the parameters of the redirect, from the query or form
 * @throws ProviderRefusal with the provider's error, AuthError
 */
export async function finishProviderFlow(
  ctx: AuthContext,
  flow: ProviderFlow,
  returned: URLSearchParams,
  origin: ClientInfo,
): Promise<Finished> {
  const refusal = returned.get('error')
  if (refusal) throw new ProviderRefusal(refusal, returned.get('error_description') ?? '')
  const provider = await useAgain(ctx, flow)
  if (!returned.get(provider.returnsWith)) {
    const message = 'OAuth callback with missing authorization code missing'
    throw new AuthError(400, 'bad_oauth_callback', message)
  }
  // RFC 9207: rejects the response of another provider (mix-up attack).
  const issuer = returned.get('iss')
  if (issuer !== null && provider.issuer !== null && issuer !== provider.issuer) {
    throw new AuthError(400, 'oauth_invalid_state', 'OAuth provider mismatch')
  }
  const { person, tokens } = await askProvider(ctx, flow, provider, returned)
  if (person.emails.length === 0 && !flow.emailOptional) {
    throw new AuthError(500, 'unexpected_failure', 'Error getting user email from external provider')
  }
  const arrival: Arrival = {
    provider: flow.provider,
    providerUser: person,
    emailOptional: flow.emailOptional,
    ip: origin.ip,
    redirectTo: flow.redirectTo || ctx.siteUrl(),
  }
  const outcome = await retryUniqueViolation(() =>
    transact(ctx, (client, later) => settle(ctx, client, later, { flow, arrival, tokens, origin })),
  )
  if (outcome instanceof AuthError) throw outcome
  return outcome
}

async function useAgain(ctx: AuthContext, flow: ProviderFlow): Promise<Provider> {
  try {
    return await ctx.providers.use(flow.provider, '')
  } catch (error) {
    const why = error instanceof ProviderUnusable ? error.message : 'the provider could not be reached'
    const message = `Unsupported provider: ${why}`
    throw new AuthError(400, 'oauth_provider_not_supported', message, { cause: error })
  }
}

async function askProvider(
  ctx: AuthContext,
  flow: ProviderFlow,
  provider: Provider,
  returned: URLSearchParams,
): Promise<{ person: ProviderUser; tokens: ProviderTokens }> {
  const kept = await takeKept(ctx.pool, flow)
  const tokens = await provider.redeem(returned, kept).catch((error: unknown) => {
    const code = (returned.get('code') ?? '').slice(0, 4)
    const message = `Unable to exchange external code: ${code}`
    throw new AuthError(500, 'unexpected_failure', message, { cause: error })
  })
  const person = await provider.readUser(tokens).catch((error: unknown) => {
    throw noProfile(error)
  })
  if (person.claims.sub === '') throw noProfile(new Error('the provider does not say who the person is'))
  person.emails = usableEmails(person.emails)
  // Apple sends the name once, beside the code and unsigned.
  if (flow.provider === 'apple') addName(person, returned.get('user') ?? '')
  return { person, tokens }
}

function noProfile(cause: unknown): AuthError {
  const message = 'Error getting user profile from external provider'
  return new AuthError(500, 'unexpected_failure', message, { cause })
}

function addName(person: ProviderUser, told: string): void {
  let name = ''
  try {
    const { firstName, lastName } = (JSON.parse(told) as { name?: Record<string, unknown> }).name ?? {}
    name = [firstName, lastName]
      .filter((part) => typeof part === 'string')
      .join(' ')
      .trim()
  } catch {
    // The value is from the browser: an invalid one is ignored.
  }
  if (name !== '') Object.assign(person.claims, { name, full_name: name })
}

/** Returns an error instead of throwing it if the changes must be committed. */
async function settle(
  ctx: AuthContext,
  client: pg.Client,
  later: (deed: () => void) => void,
  o: { flow: ProviderFlow; arrival: Arrival; tokens: ProviderTokens; origin: ClientInfo },
): Promise<Finished | AuthError> {
  const { flow, arrival, tokens, origin } = o
  await claimFlow(client, flow)
  const { user, refused } = await welcome(ctx, client, later, flow, arrival)
  if (refused) {
    await endFlow(client, flow)
    return refused
  }
  if (flow.isPkce) {
    const { accessToken, refreshToken } = tokens
    await settleFlow(client, flow, { userId: user.id, accessToken, refreshToken })
    return { code: flow.authCode! }
  }
  await endFlow(client, flow)
  const session = await issueSession(ctx, client, { user, method: 'oauth', clientInfo: origin })
  return {
    session: {
      ...session,
      provider_token: tokens.accessToken,
      ...(tokens.refreshToken ? { provider_refresh_token: tokens.refreshToken } : {}),
    },
  }
}

async function welcome(
  ctx: AuthContext,
  client: pg.Client,
  later: (deed: () => void) => void,
  flow: ProviderFlow,
  arrival: Arrival,
): Promise<{ user: UserRow; refused: AuthError | null }> {
  if (flow.linkTo !== null) return linkIdentity(ctx, client, later, { ...arrival, userId: flow.linkTo })
  if (flow.inviteToken !== '') {
    const user = await acceptInvite(ctx, client, { ...arrival, token: flow.inviteToken })
    return { user, refused: null }
  }
  return takeInUser(ctx, client, later, arrival)
}
