import type { Hono } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError, type AuthErrorCode } from '../asking/AuthError.ts'
import { requireAdmin, requireUser } from '../asking/callers.ts'

/** Ways of signing in that are off: each is refused as hosted refuses what a project has not switched on. */
export function addOtherProviders(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  const refuse = (status: number, code: AuthErrorCode, message: string) => () => {
    throw new AuthError(status, code, message)
  }
  app.get('/authorize', refuse(400, 'validation_failed', 'Unsupported provider: provider is not enabled'))
  app.on(
    ['GET', 'POST'],
    '/callback',
    refuse(400, 'bad_oauth_callback', 'OAuth callback with missing state: no provider is enabled'),
  )

  app.all('/user/identities/*', async (c) => {
    await requireUser(ctx, c)
    throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled')
  })
  const saml = refuse(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  app.all('/sso', saml)
  app.all('/sso/*', saml)
  app.all('/admin/*', async (c) => {
    await requireAdmin(ctx, c)
    throw new AuthError(501, 'not_implemented', `This home does not serve ${c.req.method} ${c.req.path} yet.`)
  })
}
