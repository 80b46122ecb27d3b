import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import {
  isUuid,
  readClientInfo,
  requireFirstPartyUser,
  requireSecondFactor,
  type AuthRequest,
} from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { requireCaptcha } from '../http/requireCaptcha.ts'
import { writeAudit } from '../audit.ts'
import { deletePasskey, listPasskeys, renamePasskey, renderPasskey } from '../passkeys/passkey.ts'
import { beginRegistration, requireRegistrable, finishRegistration } from '../passkeys/registerPasskey.ts'
import { beginSignIn, finishSignIn } from '../passkeys/signInWithPasskey.ts'
import { transact } from '../transact.ts'
import { requirePermanentUser } from './factors.ts'

/** /passkeys: users sign in with passkeys, and register, rename and delete them. */
export function addPasskeys(app: AuthApp, ctx: AuthContext): void {
  const requireEnabled = async (_: AuthRequest, next: () => Promise<void>) => {
    if (!ctx.settings.passkeys.enabled) {
      throw new AuthError(404, 'passkey_disabled', 'Passkeys are disabled')
    }
    await next()
  }
  app.use('/passkeys', requireEnabled)
  app.use('/passkeys/*', requireEnabled)
  addCeremonies(app, ctx)
  addManagement(app, ctx)
}

function addCeremonies(app: AuthApp, ctx: AuthContext): void {
  app.post('/passkeys/authentication/options', async (c) => {
    ctx.limits.count('passkey', readClientInfo(c).ip)
    await requireCaptcha(ctx, c)
    return c.json(await beginSignIn(ctx))
  })

  app.post('/passkeys/authentication/verify', async (c) => {
    const credential = await readCredential(c)
    return c.json(await finishSignIn(ctx, { ...credential, clientInfo: readClientInfo(c) }))
  })

  app.post('/passkeys/registration/options', async (c) => {
    const me = await requirePermanentUser(ctx, c)
    return c.json(await beginRegistration(ctx, me))
  })

  app.post('/passkeys/registration/verify', async (c) => {
    const me = await requirePermanentUser(ctx, c)
    requireRegistrable(me)
    const credential = await readCredential(c)
    const passkey = await finishRegistration(ctx, { me, ...credential, ip: readClientInfo(c).ip })
    return c.json(renderPasskey(passkey))
  })
}

function addManagement(app: AuthApp, ctx: AuthContext): void {
  app.get('/passkeys', async (c) => {
    const { user } = await requireFirstPartyUser(ctx, c)
    return c.json((await listPasskeys(ctx.pool, user.id)).map(renderPasskey))
  })

  app.patch('/passkeys/:id', async (c) => {
    const { user } = await requireFirstPartyUser(ctx, c)
    const id = readPasskeyId(c)
    const { friendly_name: friendlyName } = await readBody(c, { friendly_name: 'string' })
    if (!friendlyName) throw invalid('friendly_name is required')
    if ([...friendlyName].length > 120) throw invalid('friendly_name must be 120 characters or less')
    const passkey = await transact(ctx, async (tx) => {
      const renamed = await renamePasskey(tx, { id, userId: user.id, friendlyName })
      if (!renamed) throw notFound()
      await writeAudit(tx, user, 'passkey_updated', readClientInfo(c).ip, { passkey_id: id })
      return renamed
    })
    return c.json(renderPasskey(passkey))
  })

  app.delete('/passkeys/:id', async (c) => {
    const me = await requireFirstPartyUser(ctx, c)
    requireSecondFactor(me, 'manage passkeys')
    const id = readPasskeyId(c)
    await transact(ctx, async (tx) => {
      if (!(await deletePasskey(tx, id, me.user.id))) throw notFound()
      await writeAudit(tx, me.user, 'passkey_deleted', readClientInfo(c).ip, { passkey_id: id })
    })
    return c.body(null, 204)
  })
}

async function readCredential(
  c: AuthRequest,
): Promise<{ challengeId: string; credential: Record<string, unknown> }> {
  const { challenge_id: id, credential } = await readBody(c, { challenge_id: 'string', credential: 'object' })
  if (!id) throw invalid('challenge_id is required')
  if (!credential) throw invalid('credential is required')
  if (!isUuid(id)) throw invalid('challenge_id must be a valid UUID')
  return { challengeId: id, credential }
}

/** The passkey id of the path. Throws AuthError 404 if it is invalid. */
export function readPasskeyId(c: AuthRequest, name = 'id'): string {
  const id = c.req.param(name) ?? ''
  if (!isUuid(id)) throw notFound()
  return id
}

/** The same response for passkeys that do not exist and those of other users. */
export function notFound(): AuthError {
  return new AuthError(404, 'validation_failed', 'Passkey not found')
}
