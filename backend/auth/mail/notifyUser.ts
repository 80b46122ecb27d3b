import type pg from 'pg'
import type { AuthContext } from '../AuthContext.ts'
import { isInterruption } from '../transact.ts'
import { sendMails, type MailOccasion } from './sendMails.ts'
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

/** How long a notice is tried, in ms. */
const worthTelling = 86_400_000

/**
 * Mails a person what was done to their account, where `[auth.email.notification.*]` has that switched on and there
 * is an address; nothing else. It leaves after the commit, and what it can't do it logs: a password must not stay as
 * it was because a mail could not be written.
 * @param o.user the row as it is after the deed
 */
export async function notifyUser(
  ctx: AuthContext,
  client: pg.Client,
  o: MailOccasion & { notice: Notice; values?: NoticeValues },
): Promise<void> {
  if (!ctx.settings.email.notices[o.notice]) return
  const { notice, user, values = {} } = o
  const email = values.Email ?? user.email ?? ''
  const to = notice === 'email_changed' ? (values.OldEmail ?? '') : email
  if (to === '') return
  // A hook that fails takes the transaction's statements since here with it, not the deed.
  await client.query('savepoint notice')
  try {
    await sendMails(ctx, client, {
      ...o,
      mails: [{ kind: notice, to, values: { Phone: user.phone ?? '', ...values, Email: email } }],
      email: {
        email_action_type: `${notice}_notification`,
        old_email: values.OldEmail ?? '',
        old_phone: values.OldPhone ?? '',
        provider: values.Provider ?? '',
        factor_type: values.FactorType ?? '',
      },
      expiresInMs: worthTelling,
    })
  } catch (error) {
    if (isInterruption(error)) throw error
    await client.query('rollback to savepoint notice')
    ctx.log.warn('auth.notice_not_sent', { notice, reason: (error as Error).message })
  }
}
