import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { checkSendFrequency } from '../guards/checkSendFrequency.ts'
import type { MailKind } from './templates/defaultMails.ts'
import { createCode, hashCode, pkcePrefix, storeToken, type TokenType } from '../rows/oneTimeToken.ts'
import { toDate, type UserRow } from '../rows/user.ts'

/** What a mailed link says that it is for, in its `type`. */
export type LinkType = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change'

/** Which mail, token, link and clock belong together. */
const letters = {
  confirmation: { token: 'confirmation_token', type: 'signup', sentAt: 'confirmation_sent_at' },
  invite: { token: 'confirmation_token', type: 'invite', sentAt: 'confirmation_sent_at' },
  magic_link: { token: 'recovery_token', type: 'magiclink', sentAt: 'recovery_sent_at' },
  recovery: { token: 'recovery_token', type: 'recovery', sentAt: 'recovery_sent_at' },
  reauthentication: { token: 'reauthentication_token', type: null, sentAt: 'reauthentication_sent_at' },
} as const satisfies Partial<
  Record<MailKind, { token: TokenType; type: LinkType | null; sentAt: keyof UserRow }>
>

export type Letter = keyof typeof letters

/** The link of a mail: it opens this service, which sends the browser on. */
export function confirmationUrl(ctx: AuthContext, hash: string, type: LinkType, redirectTo: string): string {
  const query = `token=${encodeURIComponent(hash)}&type=${type}&redirect_to=${encodeURIComponent(redirectTo)}`
  return `${ctx.authUrl()}/verify?${query}`
}

function lastMail(sentAt: string | null): Date | null {
  return sentAt === null ? null : toDate(sentAt)
}

/**
 * Makes a link and a code for the user's own address, stores their hash, and leaves the mail to be sent
 * after the commit. With `pkce` the link ends in a code for the browser that asked.
 */
export async function mailUser(
  ctx: AuthContext,
  client: pg.Client,
  o: {
    letter: Letter
    user: UserRow
    pkce: boolean
    redirectTo: string
    later: (deed: () => void) => void
  },
): Promise<void> {
  const { user } = o
  const { token, type, sentAt } = letters[o.letter]
  // An invitation is an administrator's deed, who may repeat it.
  if (o.letter !== 'invite')
    checkSendFrequency('email', lastMail(user[sentAt]), ctx.settings.email.maxFrequency)
  ctx.limits.countMail()
  const address = user.email ?? ''
  const code = createCode(ctx.settings.email.otpLength)
  const hash = (o.pkce ? pkcePrefix : '') + hashCode(address, code)
  await storeToken(client, { userId: user.id, type: token, hash, address })
  o.later(
    ctx.mailer.prepare(o.letter, address, {
      SiteURL: ctx.siteUrl(),
      ConfirmationURL: type ? confirmationUrl(ctx, hash, type, o.redirectTo) : '',
      Email: address,
      Token: code,
      TokenHash: hash,
      Data: user.raw_user_meta_data ?? {},
      RedirectTo: o.redirectTo,
    }),
  )
}

/**
 * Asks for a changed address to be confirmed: by the new one, and where the configuration wants it by
 * the present one too, each with its own link and code.
 */
export async function mailEmailChange(
  ctx: AuthContext,
  client: pg.Client,
  o: {
    user: UserRow
    newEmail: string
    pkce: boolean
    redirectTo: string
    later: (deed: () => void) => void
  },
): Promise<void> {
  const { user, newEmail } = o
  checkSendFrequency('email', lastMail(user.email_change_sent_at), ctx.settings.email.maxFrequency)
  const current = user.email ?? ''
  const both = ctx.settings.email.doubleConfirmChanges && current !== ''
  const recipients: { address: string; token: TokenType }[] = [
    { address: newEmail, token: 'email_change_token_new' },
    ...(both ? [{ address: current, token: 'email_change_token_current' as const }] : []),
  ]
  await client.query(
    `update auth.users set email_change = $2, email_change_confirm_status = 0,
       email_change_token_current = '', updated_at = now() where id = $1`,
    [user.id, newEmail],
  )
  await client.query(
    `delete from auth.one_time_tokens where user_id = $1
       and token_type in ('email_change_token_new', 'email_change_token_current')`,
    [user.id],
  )
  for (const { address, token } of recipients) {
    ctx.limits.countMail()
    const code = createCode(ctx.settings.email.otpLength)
    const hash = (o.pkce ? pkcePrefix : '') + hashCode(address, code)
    await storeToken(client, { userId: user.id, type: token, hash, address })
    o.later(
      ctx.mailer.prepare('email_change', address, {
        SiteURL: ctx.siteUrl(),
        ConfirmationURL: confirmationUrl(ctx, hash, 'email_change', o.redirectTo),
        Email: current,
        NewEmail: newEmail,
        SendingTo: address,
        Token: code,
        TokenHash: hash,
        Data: user.raw_user_meta_data ?? {},
        RedirectTo: o.redirectTo,
      }),
    )
  }
}
