import type { Hono } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { beginProviderFlow } from '../providers/flow/beginProviderFlow.ts'

/** GET /authorize: redirects to the provider. */
export function addProviders(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  app.get('/authorize', async (c) => c.redirect(await beginProviderFlow(ctx, c, null), 302))
}
