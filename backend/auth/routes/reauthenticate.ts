import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { readClientInfo, requireFirstPartyUser } from '../http/authenticate.ts'
import { requireMailedCodes } from '../http/requireMethod.ts'
import { writeAudit } from '../audit.ts'
import { mailUser } from '../mail/mailUser.ts'
import { lockUser } from '../rows/findUser.ts'
import { smsUser } from '../sms/smsUser.ts'
import { transact } from '../transact.ts'

/** GET /reauthenticate: sends a code that confirms the user's identity before a change of password. */
export function addReauthenticate(app: AuthApp, ctx: AuthContext): void {
  app.get('/reauthenticate', async (c) => {
    const me = await requireFirstPartyUser(ctx, c)
    const { ip } = readClientInfo(c)
    if (!me.user.email && !me.user.phone) {
      throw invalid('Reauthentication requires the user to have an email or a phone number')
    }
    if (me.user.email) requireMailedCodes(ctx.settings)
    if (me.user.email && !me.user.email_confirmed_at) {
      throw new AuthError(422, 'email_not_confirmed', 'Please verify your email first.')
    }
    if (!me.user.email && !me.user.phone_confirmed_at) {
      throw new AuthError(422, 'phone_not_confirmed', 'Please verify your phone first.')
    }
    const messageId = await transact(ctx, async (tx) => {
      const user = (await lockUser(tx, me.user.id)) ?? me.user
      await writeAudit(tx, user, 'user_reauthenticate_requested', ip)
      if (user.phone && !user.email) {
        return smsUser(ctx, tx, { user, phone: user.phone, type: 'reauthentication', ip })
      }
      const redirectTo = ctx.siteUrl()
      await mailUser(ctx, tx, { mail: 'reauthentication', user, pkce: false, redirectTo, ip })
      return null
    })
    return c.json(messageId === null ? {} : { message_id: messageId })
  })
}
