import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { transactAccount } from '../accounts/databaseErrors.ts'
import { validateEmail } from '../accounts/validateEmail.ts'
import { findOrCreateUnconfirmedUser } from '../admin/findOrCreateUnconfirmedUser.ts'
import { generateLink } from '../admin/generateLink.ts'
import { readClientInfo, readRedirectUrl, requireAdmin } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { writeAudit } from '../audit.ts'
import { mailUser } from '../mail/mailUser.ts'
import { findUserById } from '../rows/findUser.ts'
import { renderUser } from '../rows/user.ts'

/** POST /admin/generate_link creates a link without sending it, POST /invite sends one; for service keys. */
export function addAdminLinks(app: AuthApp, ctx: AuthContext): void {
  app.post('/admin/generate_link', async (c) => {
    await requireAdmin(ctx, c)
    const body = await readBody(c, {
      type: 'string',
      email: 'string',
      new_email: 'string',
      password: 'string',
      data: 'object',
      redirect_to: 'string',
    })
    const link = await generateLink(ctx, {
      type: body.type ?? '',
      email: validateEmail(body.email ?? ''),
      newEmail: body.new_email ?? '',
      password: body.password ?? '',
      data: body.data,
      redirectTo: readRedirectUrl(ctx, c, body.redirect_to),
      ip: readClientInfo(c).ip,
    })
    return c.json(link)
  })

  app.post('/invite', async (c) => {
    await requireAdmin(ctx, c)
    const body = await readBody(c, { email: 'string', data: 'object' })
    const email = validateEmail(body.email ?? '')
    const redirectTo = readRedirectUrl(ctx, c)
    const { ip } = readClientInfo(c)
    const invited = await transactAccount(ctx, async (tx) => {
      const values = { email, passwordHash: '', data: body.data ?? {}, ip }
      const { user } = await findOrCreateUnconfirmedUser(ctx, tx, values)
      await writeAudit(tx, null, 'user_invited', ip, { user_id: user.id, user_email: email })
      await mailUser(ctx, tx, { mail: 'invite', user, pkce: false, redirectTo, ip })
      await tx.query('update auth.users set invited_at = now() where id = $1', [user.id])
      return (await findUserById(tx, user.id))!
    })
    return c.json(renderUser(invited))
  })
}
