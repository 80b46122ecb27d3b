import type { Transaction } from '../Transaction.ts'
import type { MailContext } from '../AuthContext.ts'
import { callHook } from '../hooks/callHook.ts'
import { makeOnce } from '../transact.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import type { MailKind } from './templates/defaultMails.ts'
import type { TemplateValues } from './templates/renderTemplate.ts'
import type { AuthSettings } from '../settings/authSettings.ts'

/** The email data of the send_email hook; missing values are sent as empty. */
export interface EmailData {
  email_action_type: string
  token?: string
  token_hash?: string
  redirect_to?: string
  token_new?: string
  token_hash_new?: string
  old_email?: string
  old_phone?: string
  provider?: string
  factor_type?: string
}

/** Options of every mail. */
export interface MailOptions {
  user: UserRow
  /** The client's IP address, for the hook. */
  ip?: string
  /** Whether withMessageLimits has checked the limits: then neither they nor the cooldown count again. */
  areLimitsChecked?: boolean
}

/**
 * Whether mails are limited. As on hosted Supabase they are not if addresses are confirmed automatically,
 * unless no mail is allowed at all.
 */
export function isMailLimited(settings: AuthSettings): boolean {
  return !settings.email.autoconfirm || settings.limits.emailPerHour === 0
}

/**
 * Passes mails to the send_email hook if it is enabled, otherwise queues them. All together count as one mail.
 * @param o.email the hook's data for all of them
 * @throws AuthError 429 over_email_send_rate_limit, or the hook's error
 */
export async function sendMails(
  ctx: MailContext,
  tx: Transaction,
  o: MailOptions & {
    mails: { kind: MailKind; to: string; values: TemplateValues }[]
    email: EmailData
    expiresInMs: number
  },
): Promise<void> {
  if (!o.areLimitsChecked && isMailLimited(ctx.settings)) {
    makeOnce(tx, `mail ${o.email.email_action_type}`, () => ctx.limits.countMail())
  }
  if (ctx.settings.hooks.send_email) {
    const email_data = { ...emptyData, site_url: ctx.authUrl(), ...o.email }
    await callHook(ctx, tx, 'send_email', { user: renderUser(o.user), email_data }, { ip: o.ip })
    return
  }
  for (const { kind, to, values } of o.mails) {
    const defaults = { SiteURL: ctx.siteUrl(), Data: o.user.raw_user_meta_data ?? {} }
    const mail = { kind, to, values: { ...defaults, ...values }, expiresInMs: o.expiresInMs }
    await ctx.mailer.queue(tx, mail)
  }
}

const emptyData = {
  token: '',
  token_hash: '',
  redirect_to: '',
  token_new: '',
  token_hash_new: '',
  old_email: '',
  old_phone: '',
  provider: '',
  factor_type: '',
}
