import type { Transaction } from '../../Transaction.ts'
import { transactAccount } from '../../accounts/databaseErrors.ts'
import type { AuthContext, MailContext, SignInContext, TransactionContext } from '../../AuthContext.ts'
import { AuthError } from '../../http/AuthError.ts'
import { type ClientInfo, issueSession, type SessionResponse } from '../../sessions/sessions.ts'
import type { UserRow } from '../../rows/user.ts'
import { type Providers, ProviderUnavailable } from '../createProviders.ts'
import { acceptInvite } from '../linking/acceptInvite.ts'
import { linkIdentity } from '../linking/linkIdentity.ts'
import { findOrCreateUser, type ProviderSignIn } from '../linking/findOrCreateUser.ts'
import type { Provider, ProviderTokens, ProviderUser } from '../Provider.ts'
import { usableEmails } from '../identityData.ts'
import {
  deleteFlow,
  lockUnusedFlow,
  type ProviderFlow,
  ProviderFlowError,
  storeFlowResult,
  takeSecret,
} from './providerFlow.ts'
import type { Pool } from '../../../postgres/connections/pool.ts'

/** The result of a flow: a code for the holder of the verifier, or a session. */
export type FlowResult = { code: string } | { session: SessionResponse }

/**
 * Finishes a sign-in after the provider's redirect: fetches the user, and finds, creates or links the account.
 * @param parameters the parameters of the redirect, from the query or form
 * @throws ProviderFlowError with the provider's error, AuthError
 */
export async function finishProviderFlow(
  ctx: MailContext & SignInContext & Pick<AuthContext, 'providers'>,
  flow: ProviderFlow,
  parameters: URLSearchParams,
  clientInfo: ClientInfo,
): Promise<FlowResult> {
  const errorName = parameters.get('error')
  if (errorName) throw new ProviderFlowError(errorName, parameters.get('error_description') ?? '')
  const provider = await findProvider(ctx.providers, flow)
  if (!parameters.get(provider.returnsWith)) {
    const message = 'OAuth callback with missing authorization code missing'
    throw new AuthError(400, 'bad_oauth_callback', message)
  }
  // RFC 9207: rejects the response of another provider (mix-up attack).
  const issuer = parameters.get('iss')
  if (issuer !== null && provider.issuer !== null && issuer !== provider.issuer) {
    throw new AuthError(400, 'oauth_invalid_state', 'OAuth provider mismatch')
  }
  const { providerUser, tokens } = await fetchUser(ctx.pool, flow, provider, parameters)
  if (providerUser.emails.length === 0 && !flow.emailOptional) {
    throw new AuthError(500, 'unexpected_failure', 'Error getting user email from external provider')
  }
  const signIn: ProviderSignIn = {
    provider: flow.provider,
    providerUser,
    emailOptional: flow.emailOptional,
    ip: clientInfo.ip,
    redirectTo: flow.redirectTo || ctx.siteUrl(),
  }
  const outcome = await transactAccount(ctx, (tx) =>
    completeFlow(ctx, tx, { flow, signIn, tokens, clientInfo }),
  )
  if (outcome instanceof AuthError) throw outcome
  return outcome
}

async function findProvider(providers: Providers, flow: ProviderFlow): Promise<Provider> {
  try {
    return await providers.find(flow.provider, '')
  } catch (error) {
    const why = error instanceof ProviderUnavailable ? error.message : 'the provider could not be reached'
    const message = `Unsupported provider: ${why}`
    throw new AuthError(400, 'oauth_provider_not_supported', message, { cause: error })
  }
}

async function fetchUser(
  pool: Pool,
  flow: ProviderFlow,
  provider: Provider,
  parameters: URLSearchParams,
): Promise<{ providerUser: ProviderUser; tokens: ProviderTokens }> {
  const secret = await takeSecret(pool, flow)
  const tokens = await provider.redeem(parameters, secret).catch((error: unknown) => {
    const code = (parameters.get('code') ?? '').slice(0, 4)
    const message = `Unable to exchange external code: ${code}`
    throw new AuthError(500, 'unexpected_failure', message, { cause: error })
  })
  const providerUser = await provider.readUser(tokens).catch((error: unknown) => {
    throw profileError(error)
  })
  if (providerUser.claims.sub === '') throw profileError(new Error('the provider returned no user id'))
  providerUser.emails = usableEmails(providerUser.emails)
  // Apple sends the name once, beside the code and unsigned.
  if (flow.provider === 'apple') addName(providerUser, parameters.get('user') ?? '')
  return { providerUser, tokens }
}

function profileError(cause: unknown): AuthError {
  const message = 'Error getting user profile from external provider'
  return new AuthError(500, 'unexpected_failure', message, { cause })
}

function addName(providerUser: ProviderUser, userParameter: string): void {
  let name = ''
  try {
    const { firstName, lastName } =
      (JSON.parse(userParameter) as { name?: Record<string, unknown> }).name ?? {}
    name = [firstName, lastName]
      .filter((part) => typeof part === 'string')
      .join(' ')
      .trim()
  } catch {
    // The value is from the browser: an invalid one is ignored.
  }
  if (name !== '') Object.assign(providerUser.claims, { name, full_name: name })
}

/** Returns an error instead of throwing it if the changes must be committed. */
async function completeFlow(
  ctx: MailContext & SignInContext,
  tx: Transaction,
  o: { flow: ProviderFlow; signIn: ProviderSignIn; tokens: ProviderTokens; clientInfo: ClientInfo },
): Promise<FlowResult | AuthError> {
  const { flow, signIn, tokens, clientInfo } = o
  await lockUnusedFlow(tx, flow)
  const { user, error } = await findOrLinkUser(ctx, tx, flow, signIn)
  if (error) {
    await deleteFlow(tx, flow)
    return error
  }
  if (flow.isPkce) {
    const { accessToken, refreshToken } = tokens
    await storeFlowResult(tx, flow, { userId: user.id, accessToken, refreshToken })
    return { code: flow.authCode! }
  }
  await deleteFlow(tx, flow)
  const session = await issueSession(ctx, tx, { user, method: 'oauth', clientInfo })
  return {
    session: {
      ...session,
      provider_token: tokens.accessToken,
      ...(tokens.refreshToken ? { provider_refresh_token: tokens.refreshToken } : {}),
    },
  }
}

async function findOrLinkUser(
  ctx: TransactionContext & MailContext,
  tx: Transaction,
  flow: ProviderFlow,
  signIn: ProviderSignIn,
): Promise<{ user: UserRow; error: AuthError | null }> {
  if (flow.linkTo !== null) return linkIdentity(ctx, tx, { ...signIn, userId: flow.linkTo })
  if (flow.inviteToken !== '') {
    const user = await acceptInvite(ctx.settings, tx, { ...signIn, token: flow.inviteToken })
    return { user, error: null }
  }
  return findOrCreateUser(ctx, tx, signIn)
}
