import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { askHook } from '../hooks/askHook.ts'
import { makeOnce } from '../transact.ts'
import { renderUser, type UserRow } from '../rows/user.ts'
import type { MailKind } from './templates/defaultMails.ts'
import type { TemplateValues } from './templates/renderTemplate.ts'

/** What the send_email hook is told of mails that it sends in our place; what is left out is empty. */
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

/** What every mail is asked with. */
export interface MailOccasion {
  user: UserRow
  later: (deed: () => void) => void
  /** Of whoever asked, for the hook. */
  ip?: string
  /** Whether admitMessage let it pass: then neither its limits nor the wait since the last one count again. */
  isAdmitted?: boolean
}

/** Whether mails have a limit. As on hosted: who confirms nobody has none, unless no mail is allowed at all. */
export function countsMails(ctx: AuthContext): boolean {
  return !ctx.settings.email.autoconfirm || ctx.settings.limits.emailPerHour === 0
}

/**
 * Hands mails to the send_email hook where it is on, else keeps them to be sent after the commit. However many they
 * are, they count as one mail of the hour.
 * @param o.email the hook sends them all by one event
 * @throws AuthError 429 over_email_send_rate_limit, or what the hook refuses with
 */
export async function sendMails(
  ctx: AuthContext,
  client: pg.Client,
  o: MailOccasion & {
    mails: { kind: MailKind; to: string; values: TemplateValues }[]
    email: EmailData
    expiresInMs: number
  },
): Promise<void> {
  if (!o.isAdmitted && countsMails(ctx)) {
    makeOnce(client, `mail ${o.email.email_action_type}`, () => ctx.limits.countMail())
  }
  if (ctx.settings.hooks.send_email) {
    const email_data = { ...noData, site_url: ctx.authUrl(), ...o.email }
    await askHook(ctx, client, 'send_email', { user: renderUser(o.user), email_data }, { ip: o.ip })
    return
  }
  for (const { kind, to, values } of o.mails) {
    const known = { SiteURL: ctx.siteUrl(), Data: o.user.raw_user_meta_data ?? {} }
    const mail = { kind, to, values: { ...known, ...values }, expiresInMs: o.expiresInMs }
    await ctx.mailer.post(client, mail, o.later)
  }
}

const noData = {
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
