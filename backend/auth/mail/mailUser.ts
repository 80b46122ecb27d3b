import type { Transaction } from '../Transaction.ts'
import type { AuthContext, MailContext } from '../AuthContext.ts'
import { checkCooldown } from '../limits/checkCooldown.ts'
import { sendMails, type MailOptions } from './sendMails.ts'
import type { MailKind } from './templates/defaultMails.ts'
import { createCode, hashCode, pkcePrefix, storeToken, type TokenType } from '../rows/oneTimeToken.ts'
import { toDate, type UserRow } from '../rows/user.ts'
import { makeOnce } from '../transact.ts'

/** The `type` parameter of a link in a mail. */
export type LinkType = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change'

/** The token, link type and time of last sending of each mail. */
const mailTypes = {
  confirmation: { token: 'confirmation_token', type: 'signup', sentAt: 'confirmation_sent_at' },
  invite: { token: 'confirmation_token', type: 'invite', sentAt: 'confirmation_sent_at' },
  magic_link: { token: 'recovery_token', type: 'magiclink', sentAt: 'recovery_sent_at' },
  recovery: { token: 'recovery_token', type: 'recovery', sentAt: 'recovery_sent_at' },
  reauthentication: { token: 'reauthentication_token', type: null, sentAt: 'reauthentication_sent_at' },
} as const satisfies Partial<
  Record<MailKind, { token: TokenType; type: LinkType | null; sentAt: keyof UserRow }>
>

export type LinkMail = keyof typeof mailTypes

/** Returns the link of a mail. It opens this service, which redirects the browser. */
export function confirmationUrl(
  ctx: Pick<AuthContext, 'authUrl'>,
  hash: string,
  type: LinkType,
  redirectTo: string,
): string {
  const query = `token=${encodeURIComponent(hash)}&type=${type}&redirect_to=${encodeURIComponent(redirectTo)}`
  return `${ctx.authUrl()}/verify?${query}`
}

function toDateOrNull(sentAt: string | null): Date | null {
  return sentAt === null ? null : toDate(sentAt)
}

/**
 * Creates a link and a code for the user's own email address, stores their hash, and queues the mail. The mail is
 * sent after the commit. With `pkce` the link redirects with a code for the browser that sent the request.
 */
export async function mailUser(
  ctx: MailContext,
  tx: Transaction,
  o: MailOptions & { mail: LinkMail; pkce: boolean; redirectTo: string },
): Promise<void> {
  const { user, redirectTo } = o
  const { token, type, sentAt } = mailTypes[o.mail]
  const { cooldownMs, otpLength, otpExpiry } = ctx.settings.email
  // Administrators may repeat invitations at any time.
  if (o.mail !== 'invite' && !o.areLimitsChecked)
    checkCooldown('email', toDateOrNull(user[sentAt]), cooldownMs)
  const address = user.email ?? ''
  const code = makeOnce(tx, `code ${token} ${address}`, () => createCode(otpLength))
  const hash = (o.pkce ? pkcePrefix : '') + hashCode(ctx.keys, address, code)
  await storeToken(tx, { userId: user.id, type: token, hash, address })
  await sendMails(ctx, tx, {
    ...o,
    mails: [
      {
        kind: o.mail,
        to: address,
        values: {
          ConfirmationURL: type ? confirmationUrl(ctx, hash, type, redirectTo) : '',
          Email: address,
          Token: code,
          TokenHash: hash,
          RedirectTo: redirectTo,
        },
      },
    ],
    email: {
      email_action_type: type ?? 'reauthentication',
      token: code,
      token_hash: hash,
      redirect_to: redirectTo,
    },
    expiresInMs: otpExpiry,
  })
}

/**
 * Sends the mails that confirm a change of email address. One goes to the new address and, if configured, one to the
 * current address. Each has its own link and code.
 */
export async function mailEmailChange(
  ctx: MailContext,
  tx: Transaction,
  o: MailOptions & { newEmail: string; pkce: boolean; redirectTo: string },
): Promise<void> {
  const { user, newEmail, redirectTo } = o
  const { cooldownMs, doubleConfirmChanges, otpLength, otpExpiry } = ctx.settings.email
  if (!o.areLimitsChecked) checkCooldown('email', toDateOrNull(user.email_change_sent_at), cooldownMs)
  const current = user.email ?? ''
  await tx.query(
    `update auth.users set email_change = $2, email_change_confirm_status = 0,
       email_change_token_current = '', updated_at = now() where id = $1`,
    [user.id, newEmail],
  )
  await tx.query(
    `delete from auth.one_time_tokens where user_id = $1
       and token_type in ('email_change_token_new', 'email_change_token_current')`,
    [user.id],
  )
  const store = async (address: string, type: TokenType): Promise<AddressCode> => {
    const code = makeOnce(tx, `code ${type} ${address}`, () => createCode(otpLength))
    const hash = (o.pkce ? pkcePrefix : '') + hashCode(ctx.keys, address, code)
    await storeToken(tx, { userId: user.id, type, hash, address })
    return { address, code, hash }
  }
  const next = await store(newEmail, 'email_change_token_new')
  const present =
    doubleConfirmChanges && current !== '' ? await store(current, 'email_change_token_current') : null
  await sendMails(ctx, tx, {
    ...o,
    user: { ...user, email_change: newEmail },
    mails: [next, ...(present ? [present] : [])].map(({ address, code, hash }) => ({
      kind: 'email_change',
      to: address,
      values: {
        ConfirmationURL: confirmationUrl(ctx, hash, 'email_change', redirectTo),
        Email: current,
        NewEmail: newEmail,
        SendingTo: address,
        Token: code,
        TokenHash: hash,
        RedirectTo: redirectTo,
      },
    })),
    email: {
      email_action_type: 'email_change',
      redirect_to: redirectTo,
      // In hosted Supabase's inverted naming: token and token_hash_new belong to the current address, token_new
      // and token_hash to the new one. Existing hooks rely on it.
      token: present?.code ?? next.code,
      token_hash: next.hash,
      ...(present ? { token_new: next.code, token_hash_new: present.hash } : {}),
    },
    expiresInMs: otpExpiry,
  })
}

interface AddressCode {
  address: string
  code: string
  hash: string
}
