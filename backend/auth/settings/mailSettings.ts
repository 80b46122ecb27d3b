import { notificationNames, type MailNotification } from '../mail/templates/defaultMails.ts'
import type { Smtp } from '../../runtime/smtp/smtpOptions.ts'
import type { SettingsReader } from './createSettingsReader.ts'

/** `[auth.email]` of config.toml. Times in ms. */
export interface MailSettings {
  email: {
    enabled: boolean
    /** Whether people can sign in with links and codes by mail. Without them, nobody proves an address. */
    sendsCodes: boolean
    /** Whether new accounts are confirmed without a mail. */
    autoconfirm: boolean
    doubleConfirmChanges: boolean
    reauthenticateForPassword: boolean
    cooldownMs: number
    otpLength: number
    otpExpiry: number
    /** Which changes users are notified of. */
    notifications: Record<MailNotification, boolean>
  }
  /** Null if mails go to the mailbox. */
  smtp: Smtp | null
}

/** Reads `[auth.email]`. Throws ConfigError with a sentence for the administrator. */
export function readMailSettings(read: SettingsReader): MailSettings {
  const switchedOn = (notification: MailNotification): [MailNotification, boolean] => [
    notification,
    read.at(`auth.email.notification.${notification}.enabled`, false),
  ]
  return {
    email: {
      enabled: read.at('auth.email.enabled', read.at('auth.email.enable_signup', true)),
      // Belongs in linnet.toml, as `passwords`: Supabase has one switch for everything that uses an address.
      sendsCodes: read.at('auth.email.codes', true),
      autoconfirm: !read.at('auth.email.enable_confirmations', false),
      doubleConfirmChanges: read.at('auth.email.double_confirm_changes', true),
      reauthenticateForPassword: read.at('auth.email.secure_password_change', false),
      cooldownMs: read.duration('auth.email.max_frequency', '1s'),
      otpLength: read.integer('auth.email.otp_length', 6, 6, 10),
      otpExpiry: read.integer('auth.email.otp_expiry', 3600, 1, 86_400) * 1000,
      notifications: Object.fromEntries(notificationNames.map(switchedOn)) as Record<
        MailNotification,
        boolean
      >,
    },
    smtp: readSmtp(read),
  }
}

function readSmtp(read: SettingsReader): Smtp | null {
  const path = 'auth.email.smtp'
  const host = read.at(`${path}.host`, '')
  if (!read.at(`${path}.enabled`, host !== '')) return null
  const address = read.at(`${path}.admin_email`, '')
  if (!host || !address) throw read.errorAt(path, 'needs host and admin_email, or enabled = false')
  // With an invalid sender the SMTP server would reject each mail.
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(address)) {
    throw read.errorAt(
      `${path}.admin_email`,
      `must be an address such as "chat@example.com", not "${address}"`,
    )
  }
  return {
    host,
    port: read.integer(`${path}.port`, 587, 1, 65_535),
    user: read.at(`${path}.user`, ''),
    password: read.at(`${path}.pass`, ''),
    from: { name: read.at(`${path}.sender_name`, 'Linnet'), address },
  }
}
