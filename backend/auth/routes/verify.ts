import type { Hono } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../asking/AuthError.ts'
import { originOf, redirectOf, type AuthRequest } from '../asking/callers.ts'
import { readBody } from '../asking/readBody.ts'
import { describeError, withFragment, withQuery } from '../asking/redirectUrl.ts'
import { toAuthError } from '../asking/renderError.ts'
import { issueFlowCode, type FlowMethod } from '../rows/flowState.ts'
import { pkcePrefix } from '../rows/oneTimeToken.ts'
import { issueSession, type SessionAnswer } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'
import { validateEmail } from '../accounts/validateEmail.ts'
import { accept, presentCode, presentHash, type Presented } from '../accounts/verification.ts'

/** After the first of two addresses has confirmed a change. */
const halfWay = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** POST /verify gives a session; GET /verify, where mailed links lead, sends the browser on. */
export function addVerify(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  app.post('/verify', async (c) => {
    const origin = originOf(c)
    ctx.limits.count('verify', origin.ip)
    const body = await readBody(c, {
      type: 'string',
      token: 'string',
      token_hash: 'string',
      email: 'string',
      phone: 'string',
      redirect_to: 'string',
    })
    const invalid = (message: string): AuthError => new AuthError(400, 'validation_failed', message)
    if (!body.type) throw invalid('Verify requires a verification type')
    if (Boolean(body.token) === Boolean(body.token_hash)) {
      throw invalid('Verify requires either a token or a token hash')
    }
    if (body.token_hash && (body.email || body.phone || body.redirect_to)) {
      throw invalid('Only the token_hash and type should be provided')
    }
    if (body.token && Boolean(body.email) === Boolean(body.phone)) {
      throw invalid('Only an email address or phone number should be provided on verify')
    }
    const { type, token, token_hash: hash } = body
    // Nobody has a phone number here, so no code was ever sent to one.
    if (body.phone) throw new AuthError(403, 'otp_expired', 'Token has expired or is invalid')
    const email = body.email ? validateEmail(body.email) : ''
    // Six digits can be guessed from many places at once: the address has its own allowance.
    if (email) ctx.limits.count('verify', `address ${email}`)
    const answer = await transact(ctx.pool, async (client) => {
      const presented = hash
        ? await presentHash(ctx, client, type, hash)
        : await presentCode(ctx, client, { type, email, code: token! })
      const user = await accept(ctx, client, presented, origin.ip)
      return user && issueSession(ctx, client, { user, method: 'otp', origin })
    })
    return c.json(answer ?? { msg: halfWay, code: '200' })
  })

  app.get('/verify', async (c) => {
    ctx.limits.count('verify', originOf(c).ip)
    const type = c.req.query('type') ?? ''
    const token = c.req.query('token') ?? ''
    const redirectTo = redirectOf(ctx, c)
    if (type === '') throw new AuthError(400, 'validation_failed', 'Verify requires a verification type')
    if (token === '') {
      throw new AuthError(400, 'validation_failed', 'Verify requires a token or a token hash')
    }
    c.header('Cache-Control', 'no-store')
    c.header('Referrer-Policy', 'no-referrer')
    return c.redirect(await followLink(ctx, c, { type, token, redirectTo }), 303)
  })
}

/** Where the browser goes after a mailed link, with what it brings along. */
async function followLink(
  ctx: AuthContext,
  c: AuthRequest,
  o: { type: string; token: string; redirectTo: string },
): Promise<string> {
  const pkce = o.token.startsWith(pkcePrefix)
  const origin = originOf(c)
  try {
    return await transact(ctx.pool, async (client) => {
      const presented = await presentHash(ctx, client, o.type, o.token)
      const methods = flowMethods(o.type, presented)
      const user = await accept(ctx, client, presented, origin.ip)
      if (!user) return withMessage(o.redirectTo, { message: halfWay }, pkce)
      if (!pkce) {
        const session = await issueSession(ctx, client, { user, method: 'otp', origin })
        return withSession(o.redirectTo, session, presented.type)
      }
      const code = await issueFlowCode(client, user.id, methods)
      if (code === null) {
        throw new AuthError(400, 'flow_state_not_found', 'No associated flow state found.')
      }
      return withQuery(o.redirectTo, { code })
    })
  } catch (thrown) {
    const { error, unexpected } = toAuthError(thrown)
    if (unexpected) ctx.log.error('auth.verify_failed', { reason: String(error.cause ?? error.message) })
    return withMessage(o.redirectTo, describeError(error), pkce)
  }
}

/** By which flows a link of this type can have begun; "email" says less than the token does. */
function flowMethods(asked: string, presented: Presented): FlowMethod[] {
  if (presented.type === 'email_change') return ['email_change']
  if (presented.token === 'confirmation_token') return ['email/signup', 'invite']
  if (asked === 'recovery') return ['recovery']
  return asked === 'magiclink' ? ['magiclink'] : ['magiclink', 'recovery']
}

/** In the fragment, and for PKCE clients in the query as well. */
function withMessage(url: string, values: Record<string, string>, pkce: boolean): string {
  return withFragment(pkce ? withQuery(url, values) : url, values)
}

function withSession(url: string, session: SessionAnswer, type: string): string {
  return withFragment(url, {
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    token_type: session.token_type,
    type,
  })
}
