import type { Hono } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError, type AuthErrorCode } from '../asking/AuthError.ts'
import { requireAdmin } from '../asking/callers.ts'

/** Ways of signing in that are off: each is refused as hosted refuses what a project has not switched on. */
export function addOtherProviders(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  const refuse = (status: number, code: AuthErrorCode, message: string) => () => {
    throw new AuthError(status, code, message)
  }
  const saml = refuse(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  app.all('/sso', saml)
  app.all('/sso/*', saml)
  app.all('/admin/*', async (c) => {
    await requireAdmin(ctx, c)
    throw new AuthError(501, 'not_implemented', `This home does not serve ${c.req.method} ${c.req.path} yet.`)
  })
}
