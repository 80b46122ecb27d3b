import type { Hono } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { readClientInfo, type AuthRequest } from '../http/authenticate.ts'
import { requireCaptcha } from '../http/requireCaptcha.ts'
import { grantByCode } from '../grants/grantByCode.ts'
import { grantByIdToken } from '../grants/grantByIdToken.ts'
import { grantByPassword } from '../grants/grantByPassword.ts'
import { grantByRefreshToken } from '../grants/grantByRefreshToken.ts'
import { grantByWallet } from '../grants/grantByWallet.ts'
import type { SessionResponse } from '../sessions/sessions.ts'

type Grant = (ctx: AuthContext, c: AuthRequest) => Promise<SessionResponse>

const grants: Record<string, Grant> = {
  password: grantByPassword,
  refresh_token: grantByRefreshToken,
  pkce: grantByCode,
  id_token: grantByIdToken,
  web3: grantByWallet,
}

/** POST /token?grant_type=… */
export function addToken(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  app.post('/token', async (c) => {
    const name = c.req.query('grant_type') ?? ''
    // These grants contain a proof that a bot cannot create.
    if (!['pkce', 'refresh_token', 'id_token'].includes(name)) await requireCaptcha(ctx, c)
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined
    if (!grant) throw new AuthError(400, 'invalid_credentials', 'unsupported_grant_type')
    ctx.limits.count(name === 'web3' ? 'web3' : 'token', readClientInfo(c).ip)
    return c.json(await grant(ctx, c))
  })
}
