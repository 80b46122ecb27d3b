import type { Transaction } from '../Transaction.ts'
import type { MailContext } from '../AuthContext.ts'
import { isInterruption } from '../transact.ts'
import { sendMails, type MailOptions } from './sendMails.ts'
import type { MailNotification } from './templates/defaultMails.ts'

/** Values of a notification, by their names in templates. */
export interface NotificationValues {
  /** For `email_changed`: the previous address, which receives this mail. */
  OldEmail?: string
  /** For `phone_changed`: the previous number. */
  OldPhone?: string
  /** For `identity_linked` and `identity_unlinked`: "google", "phone" … */
  Provider?: string
  /** For `mfa_factor_enrolled` and `mfa_factor_unenrolled`: "totp", "phone", "webauthn". */
  FactorType?: string
  /** A recipient other than the user's current address: `identity_unlinked` is sent to the previous one. */
  Email?: string
}

/** How long delivery is attempted, in ms. */
const expiryMs = 86_400_000

/**
 * Notifies a user by mail of a change to their account, if `[auth.email.notification.*]` enables it and there
 * is an address. It is sent after the commit, and failures are only logged: a change of password must not fail
 * because a mail cannot be created.
 * @param o.user the row after the change
 */
export async function notifyUser(
  ctx: MailContext,
  tx: Transaction,
  o: MailOptions & { notification: MailNotification; values?: NotificationValues },
): Promise<void> {
  if (!ctx.settings.email.notifications[o.notification]) return
  const { notification, user, values = {} } = o
  const email = values.Email ?? user.email ?? ''
  const to = notification === 'email_changed' ? (values.OldEmail ?? '') : email
  if (to === '') return
  // If a hook function fails, only its statements are rolled back, not the change.
  await tx.query('savepoint notice')
  try {
    await sendMails(ctx, tx, {
      ...o,
      mails: [{ kind: notification, to, values: { Phone: user.phone ?? '', ...values, Email: email } }],
      email: {
        email_action_type: `${notification}_notification`,
        old_email: values.OldEmail ?? '',
        old_phone: values.OldPhone ?? '',
        provider: values.Provider ?? '',
        factor_type: values.FactorType ?? '',
      },
      expiresInMs: expiryMs,
    })
  } catch (error) {
    if (isInterruption(error)) throw error
    await tx.query('rollback to savepoint notice')
    ctx.log.warn('auth.notification_failed', { notification, reason: (error as Error).message })
  }
}
