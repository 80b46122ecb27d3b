import { networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { readClientInfo, readRedirectUrl, type AuthRequest } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { describeError, withFragment, withQuery } from '../http/redirectParameters.ts'
import { toAuthError } from '../http/renderError.ts'
import { issueFlowCode, type FlowMethod } from '../rows/flowState.ts'
import { pkcePrefix } from '../rows/oneTimeToken.ts'
import { issueSession, type SessionResponse } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'
import { validateEmail, validatePhone } from '../accounts/validateEmail.ts'
import { consumeToken } from '../accounts/consumeToken.ts'
import {
  verifyMailCode,
  verifyTokenHash,
  verifySmsCode,
  type VerifiedToken,
} from '../accounts/verifyOneTimeToken.ts'

/** The message after the first of two addresses has confirmed a change. */
const firstConfirmationMessage =
  'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** POST /verify returns a session; GET /verify, the target of links in mails, redirects the browser. */
export function addVerify(app: AuthApp, ctx: AuthContext): void {
  app.post('/verify', async (c) => {
    const clientInfo = readClientInfo(c)
    ctx.limits.count('verify', clientInfo.ip)
    const body = await readBody(c, {
      type: 'string',
      token: 'string',
      token_hash: 'string',
      email: 'string',
      phone: 'string',
      redirect_to: 'string',
    })
    if (!body.type) throw invalid('Verify requires a verification type')
    if (Boolean(body.token) === Boolean(body.token_hash)) {
      throw invalid('Verify requires either a token or a token hash')
    }
    if (body.token_hash && (body.email || body.phone || body.redirect_to)) {
      throw invalid('Only the token_hash and type should be provided')
    }
    const { type, token_hash: hash } = body
    const code = body.token ? readCode(body.token, body.email ?? '', body.phone ?? '') : null
    const contact = code && (code.email || code.phone)
    const callerKey = `${networkOf(clientInfo.ip)} ${contact}`
    // Six digits can be guessed from many networks at once. Counted per caller first: a rejected caller does
    // not use up the limit of all callers, so others with the right code are accepted.
    if (contact) {
      ctx.limits.count('wrongCodePerCaller', callerKey)
      ctx.limits.count('wrongCodeAnyCaller', contact)
    }
    const approved = code?.phone ? await verifyWithProvider(ctx, code.phone, code.code) : null
    const session = await transact(ctx, async (tx) => {
      const verified = !code
        ? await verifyTokenHash(ctx.settings, tx, type, hash!)
        : code.phone
          ? await verifySmsCode(ctx, tx, { ...code, type, approved })
          : await verifyMailCode(ctx, tx, { ...code, type })
      const user = await consumeToken(ctx, tx, verified, { ip: clientInfo.ip })
      return (
        user && issueSession(ctx, tx, { user, method: authenticationMethodOf(ctx, verified), clientInfo })
      )
    })
    if (contact) {
      ctx.limits.refund('wrongCodePerCaller', callerKey)
      ctx.limits.refund('wrongCodeAnyCaller', contact)
    }
    return c.json(session ?? { msg: firstConfirmationMessage, code: '200' })
  })

  app.get('/verify', async (c) => {
    // Link scanners send HEAD requests, which must not consume the token.
    if (c.req.method === 'HEAD') return c.body(null, 405, { Allow: 'GET, POST' })
    ctx.limits.count('verify', readClientInfo(c).ip)
    const type = c.req.query('type') ?? ''
    const token = c.req.query('token') ?? ''
    const redirectTo = readRedirectUrl(ctx, c)
    if (type === '') throw invalid('Verify requires a verification type')
    if (token === '') {
      throw invalid('Verify requires a token or a token hash')
    }
    c.header('Cache-Control', 'no-store')
    c.header('Referrer-Policy', 'no-referrer')
    return c.redirect(await followLink(ctx, c, { type, token, redirectTo }), 303)
  })
}

/**
 * The authentication method of the session. Hosted Supabase uses "otp" for a recovery without PKCE too; where
 * changing a password needs the old one, it would be required of a user who forgot it.
 */
function authenticationMethodOf(ctx: AuthContext, { type }: VerifiedToken): string {
  return type === 'recovery' && ctx.settings.password.requireCurrent ? 'recovery' : 'otp'
}

/** A code with the email address or phone number that it was sent to; the other one is empty. */
function readCode(
  code: string,
  email: string,
  phone: string,
): { code: string; email: string; phone: string } {
  if (phone && !email) return { code, email: '', phone: validatePhone(phone) }
  if (!email || phone) {
    throw invalid('Only an email address or phone number should be provided on verify')
  }
  try {
    return { code, email: validateEmail(email), phone: '' }
  } catch (error) {
    throw new AuthError(422, 'validation_failed', 'Invalid email format', { cause: error })
  }
}

/**
 * Verifies a code with the SMS provider if that creates the codes; null if this server creates them. This is
 * done before the number is looked up and outside of a transaction: the time must not reveal an account, and no
 * connection waits for another server.
 */
async function verifyWithProvider(ctx: AuthContext, phone: string, code: string): Promise<boolean | null> {
  const { provider } = ctx.sms
  if (!provider?.verify || ctx.settings.hooks.send_sms) return null
  if (ctx.settings.sms.testCodes.get(phone) === code) return null
  try {
    return await provider.verify(phone, code)
  } catch (error) {
    ctx.log.warn('auth.sms_verification_failed', { reason: String((error as Error).cause ?? error) })
    return false
  }
}

/** The URL to redirect to after a link in a mail was opened. */
async function followLink(
  ctx: AuthContext,
  c: AuthRequest,
  o: { type: string; token: string; redirectTo: string },
): Promise<string> {
  const pkce = o.token.startsWith(pkcePrefix)
  const clientInfo = readClientInfo(c)
  try {
    return await transact(ctx, async (tx) => {
      const verified = await verifyTokenHash(ctx.settings, tx, o.type, o.token)
      const methods = flowMethods(o.type, verified)
      const user = await consumeToken(ctx, tx, verified, { ip: clientInfo.ip })
      if (!user) return withValues(o.redirectTo, { message: firstConfirmationMessage }, pkce)
      if (!pkce) {
        const session = await issueSession(ctx, tx, {
          user,
          method: authenticationMethodOf(ctx, verified),
          clientInfo,
        })
        return withSession(o.redirectTo, session, verified.type)
      }
      const code = await issueFlowCode(tx, user.id, methods)
      if (code === null) {
        throw new AuthError(400, 'flow_state_not_found', 'No associated flow state found.')
      }
      return withQuery(o.redirectTo, { code })
    })
  } catch (thrown) {
    const { error, unexpected } = toAuthError(thrown)
    if (unexpected) ctx.log.error('auth.verify_failed', { reason: String(error.cause ?? error.message) })
    return withValues(o.redirectTo, describeError(error), pkce)
  }
}

/** The methods of flows that a link of this type can belong to; "email" is less specific than the token. */
function flowMethods(requestedType: string, verified: VerifiedToken): FlowMethod[] {
  if (verified.type === 'email_change') return ['email_change']
  if (verified.token === 'confirmation_token') return ['email/signup', 'invite']
  if (requestedType === 'recovery') return ['recovery']
  return requestedType === 'magiclink' ? ['magiclink'] : ['magiclink', 'recovery']
}

/** Adds values to the fragment, and for PKCE clients to the query too. */
function withValues(url: string, values: Record<string, string>, pkce: boolean): string {
  return withFragment(pkce ? withQuery(url, values) : url, values)
}

function withSession(url: string, session: SessionResponse, type: string): string {
  return withFragment(url, {
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    token_type: session.token_type,
    type,
  })
}
