import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { toDatabaseError } from '../accounts/databaseErrors.ts'
import { AuthError } from '../http/AuthError.ts'
import { isUuid, readClientInfo, type AuthRequest } from '../http/authenticate.ts'
import { readBodyText } from '../http/readBody.ts'
import { oauthErrors, withFragment, withQuery } from '../http/redirectParameters.ts'
import { toAuthError } from '../http/renderError.ts'
import { finishProviderFlow } from '../providers/flow/finishProviderFlow.ts'
import { findProviderFlow, ProviderFlowError } from '../providers/flow/providerFlow.ts'
import type { SessionResponse } from '../sessions/sessions.ts'
import { beginProviderFlow } from '../providers/flow/beginProviderFlow.ts'

/** Errors that concern the user rather than the request. */
const accessDeniedCodes = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification'])

/** GET and POST /callback: the target of providers' redirects, with parameters in the query or a form. */
export function addCallback(app: AuthApp, ctx: AuthContext): void {
  app.on(['GET', 'POST'], '/callback', async (c) => {
    // A HEAD request, as link scanners send it, must not consume the code.
    if (c.req.raw.method === 'HEAD') return c.body(null, 405)
    c.header('Referrer-Policy', 'no-referrer')
    const parameters = await readParameters(c)
    const state = parameters.get('state') ?? ''
    let redirectTo = ctx.siteUrl()
    try {
      const flow = await findProviderFlow(ctx.pool, parseState(state))
      redirectTo = flow.redirectTo || redirectTo
      const result = await finishProviderFlow(ctx, flow, parameters, readClientInfo(c))
      return c.redirect(
        'code' in result ? withQuery(redirectTo, result) : withSession(redirectTo, result.session),
        302,
      )
    } catch (thrown) {
      const values = errorParameters(ctx, thrown)
      // Without a valid state the origin of the sign-in is unknown: the error is sent to the site, only in the
      // query.
      if (isStateError(thrown)) return c.redirect(withQuery(ctx.siteUrl(), values), 303)
      return c.redirect(withFragment(withQuery(redirectTo, values), values), 302)
    }
  })
}

/** The parameters of the redirect; fields of a form take precedence over the query. */
async function readParameters(c: AuthRequest): Promise<URLSearchParams> {
  const query = new URL(c.req.url).searchParams
  if (c.req.method !== 'POST') return query
  const type = c.req.header('content-type') ?? ''
  if (!type.startsWith('application/x-www-form-urlencoded')) return query
  const form = new URLSearchParams(await readBodyText(c))
  for (const [name, value] of query) if (!form.has(name)) form.append(name, value)
  return form
}

function parseState(state: string): string {
  if (state === '') throw new AuthError(400, 'bad_oauth_callback', 'OAuth state parameter missing')
  if (!isUuid(state)) throw new AuthError(400, 'bad_oauth_state', 'OAuth state parameter is invalid')
  return state
}

/** Whether the flow was not found or already used. */
function isStateError(thrown: unknown): boolean {
  if (!(thrown instanceof AuthError)) return false
  if (thrown.code === 'bad_oauth_state' || thrown.code === 'flow_state_already_used') return true
  return thrown.message === 'OAuth state parameter missing'
}

/** The parameters of an error; the cause of unexpected ones is logged. */
function errorParameters(ctx: AuthContext, thrown: unknown): Record<string, string> {
  if (thrown instanceof ProviderFlowError) {
    return { error: thrown.error, error_description: thrown.message }
  }
  const { error, unexpected } = toAuthError(toDatabaseError(thrown))
  if (unexpected) {
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    ctx.log.error('auth.callback_failed', { reason })
  }
  const name = accessDeniedCodes.has(error.code)
    ? 'access_denied'
    : (oauthErrors[error.status] ?? 'server_error')
  return { error: name, error_code: error.code, error_description: error.message }
}

function withSession(url: string, session: SessionResponse): string {
  return withFragment(url, {
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    provider_token: session.provider_token ?? '',
    ...(session.provider_refresh_token ? { provider_refresh_token: session.provider_refresh_token } : {}),
    refresh_token: session.refresh_token,
    token_type: session.token_type,
  })
}

/** GET /authorize: redirects to the provider. */
export function addProviders(app: AuthApp, ctx: AuthContext): void {
  app.get('/authorize', async (c) => c.redirect(await beginProviderFlow(ctx, c, null), 302))
}
