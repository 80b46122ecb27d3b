import type { AuthApp, AuthContext, SignInContext } from '../AuthContext.ts'
import type { AuthExtension, Grant } from '../AuthExtension.ts'
import { AuthError } from '../http/AuthError.ts'
import { type AuthRequest, readClientInfo } from '../http/authenticate.ts'
import { requireCaptcha } from '../http/requireCaptcha.ts'
import { grantByCode } from '../grants/grantByCode.ts'
import { grantByIdToken } from '../grants/grantByIdToken.ts'
import { grantByPassword } from '../grants/grantByPassword.ts'
import { readBody } from '../http/readBody.ts'
import { refreshSession } from '../sessions/refreshSession.ts'
import type { SessionResponse } from '../sessions/sessions.ts'

const coreGrants: Record<string, Grant> = {
  password: { issueSession: grantByPassword, limit: 'token', requiresCaptcha: true },
  refresh_token: { issueSession: grantByRefreshToken, limit: 'token', requiresCaptcha: false },
  pkce: { issueSession: grantByCode, limit: 'token', requiresCaptcha: false },
  id_token: { issueSession: grantByIdToken, limit: 'token', requiresCaptcha: false },
}

/** Adds the route `POST /token?grant_type=…`, which calls the function of the grant. */
export function addToken(app: AuthApp, ctx: AuthContext, extensions: AuthExtension[]): void {
  const all = [coreGrants, ...extensions.map((extension) => extension.grants ?? {})]
  const grants = new Map(all.flatMap((some) => Object.entries(some)))
  app.post('/token', async (c) => {
    const name = c.req.query('grant_type') ?? ''
    const grant = grants.get(name)
    if (grant?.requiresCaptcha ?? true) await requireCaptcha(ctx, c)
    if (!grant) throw new AuthError(400, 'invalid_credentials', 'unsupported_grant_type')
    ctx.limits.count(grant.limit, readClientInfo(c).ip)
    return c.json(await grant.issueSession(ctx, c))
  })
}

/** `grant_type=refresh_token`: exchanges a refresh token for the next tokens of its session. */
async function grantByRefreshToken(ctx: SignInContext, c: AuthRequest): Promise<SessionResponse> {
  const body = await readBody(c, { refresh_token: 'string' })
  return refreshSession(ctx, body.refresh_token ?? '', readClientInfo(c))
}
