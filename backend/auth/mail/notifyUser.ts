import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import type { UserRow } from '../rows/user.ts'
import type { Notice } from './templates/defaultMails.ts'

/** What a notice tells beside whom it concerns, by the names that templates have for it. */
export interface NoticeValues {
  /** Of `email_changed`: the address until now, to which this notice goes. */
  OldEmail?: string
  /** Of `phone_changed`: the number until now, as it was stored. */
  OldPhone?: string
  /** Of `identity_linked` and `identity_unlinked`: "google", "phone" … */
  Provider?: string
  /** Of `mfa_factor_enrolled` and `mfa_factor_unenrolled`: "totp", "phone", "webauthn". */
  FactorType?: string
  /** Where a notice goes elsewhere than to the user: `identity_unlinked` to the address from before. */
  Email?: string
}

/**
 * Mails a person what was done to their account, where `[auth.email.notification.*]` has that switched on and there
 * is an address; nothing else. It leaves after the commit, and what it can't do it logs: a password must not stay as
 * it was because a mail could not be written.
 * @param o.user the row as it is after the deed
 */
export async function notifyUser(
  ctx: AuthContext,
  _client: pg.Client,
  o: { notice: Notice; user: UserRow; values?: NoticeValues; later: (deed: () => void) => void },
): Promise<void> {
  if (!ctx.settings.email.notices[o.notice]) return
  const { user, values = {} } = o
  const email = values.Email ?? user.email ?? ''
  const to = o.notice === 'email_changed' ? (values.OldEmail ?? '') : email
  if (to === '') return
  try {
    ctx.limits.countMail()
    o.later(
      ctx.mailer.prepare(o.notice, to, {
        SiteURL: ctx.siteUrl(),
        Phone: user.phone ?? '',
        ...values,
        Email: email,
        Data: user.raw_user_meta_data ?? {},
      }),
    )
  } catch (error) {
    ctx.log.warn('auth.notice_not_sent', { notice: o.notice, reason: (error as Error).message })
  }
}
