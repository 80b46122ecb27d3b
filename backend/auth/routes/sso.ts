import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { requireAdmin } from '../http/authenticate.ts'

/**
 * SAML is not supported: requests are rejected as on a hosted Supabase project that has it disabled, and there
 * are no SSO providers.
 */
export function addSso(app: AuthApp, ctx: AuthContext): void {
  const throwDisabled = (): never => {
    throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  }
  app.all('/sso', throwDisabled)
  app.all('/sso/*', throwDisabled)
  app.get('/admin/sso/providers', async (c) => {
    await requireAdmin(ctx, c)
    return c.json({ items: [] })
  })
  // Hosted Supabase stores a provider that nobody could use.
  app.post('/admin/sso/providers', async (c) => {
    await requireAdmin(ctx, c)
    return throwDisabled()
  })
  app.all('/admin/sso/providers/:id', async (c) => {
    await requireAdmin(ctx, c)
    throw new AuthError(404, 'sso_provider_not_found', 'SSO Identity Provider not found')
  })
}
