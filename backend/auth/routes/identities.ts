import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import {
  isUuid,
  readClientInfo,
  requireFirstPartyUser,
  requireSecondFactor,
  type AuthRequest,
  type AuthenticatedUser,
} from '../http/authenticate.ts'
import { beginProviderFlow } from '../providers/flow/beginProviderFlow.ts'
import { unlinkIdentity } from '../providers/linking/unlinkIdentity.ts'
import { transact } from '../transact.ts'

/** GET /user/identities/authorize and DELETE /user/identities/:id: users link and unlink identities. */
export function addIdentities(app: AuthApp, ctx: AuthContext): void {
  app.get('/user/identities/authorize', async (c) => {
    const { user } = await requireLinking(ctx, c)
    const url = await beginProviderFlow(ctx, c, user.id)
    return c.req.query('skip_http_redirect') === 'true' ? c.json({ url }) : c.redirect(url, 302)
  })

  app.delete('/user/identities/:id', async (c) => {
    const { user } = await requireLinking(ctx, c)
    const identityId = c.req.param('id')
    if (!isUuid(identityId)) throw new AuthError(404, 'validation_failed', 'identity_id must be an UUID')
    if ((c.req.header('x-jwt-aud') ?? user.aud) !== user.aud) {
      const message = "Token audience doesn't match request audience"
      throw new AuthError(403, 'unexpected_audience', message)
    }
    const { ip } = readClientInfo(c)
    await transact(ctx, (tx) => unlinkIdentity(ctx, tx, { userId: user.id, identityId, ip }))
    return c.json({})
  })

  app.all('/user/identities/*', async (c) => {
    await requireLinking(ctx, c)
    throw new AuthError(404, 'not_found', `There is no ${c.req.method} ${c.req.path}`)
  })
}

async function requireLinking(ctx: AuthContext, c: AuthRequest): Promise<AuthenticatedUser> {
  const me = await requireFirstPartyUser(ctx, c)
  if (!ctx.settings.external.manualLinking) {
    throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled')
  }
  requireSecondFactor(me)
  return me
}
