import { i18n } from '@lingui/core'
import type { SignInService } from '../../../../wire/serverSettings.ts'

/** The names of services, which are the same in each language. */
export const serviceNames: Record<SignInService, string> = {
  google: 'Google',
  github: 'GitHub',
  gitlab: 'GitLab',
  azure: 'Microsoft Entra',
  keycloak: 'Keycloak',
  slack_oidc: 'Slack',
  linkedin_oidc: 'LinkedIn',
  discord: 'Discord',
}

/** Labels of fields by the keys of their settings. */
const LABELS: Record<string, () => string> = {
  'server.public_url': () => i18n._('Public address'),
  'auth.email.smtp.host': () => i18n._('Mail server'),
  'auth.email.smtp.port': () => i18n._('Port'),
  'auth.email.smtp.user': () => i18n._('User name'),
  'auth.email.smtp.pass': () => i18n._('Password'),
  'auth.email.smtp.admin_email': () => i18n._('Sender address'),
  'auth.email.smtp.sender_name': () => i18n._('Sender name'),
  'auth.email.codes': () => i18n._('Links and codes by email'),
  'auth.email.passwords': () => i18n._('Passwords'),
  'auth.passkey.enabled': () => i18n._('Passkeys'),
  'storage.file_size_limit': () => i18n._('Maximum file size'),
  'auth.rate_limit.email_sent': () => i18n._('Sign-in emails per hour'),
  'settings.invitation_mails_per_day': () => i18n._('Email invitations per day'),
  'settings.mail_max_per_hour': () => i18n._('Emails about unread messages per hour'),
  'settings.mail_delay_minutes': () => i18n._('Minutes before an email about unread messages'),
  'backup.enabled': () => i18n._('Back up every day'),
  'backup.to': () => i18n._('Backup folder'),
  'backup.at': () => i18n._('Time of day'),
  'backup.keep_days': () => i18n._('Daily backups to keep'),
  'backup.keep_weeks': () => i18n._('Weekly backups to keep'),
  'backup.keep_months': () => i18n._('Monthly backups to keep'),
  'backup.point_in_time': () => i18n._('Also back up changes in between'),
  'backup.passphrase': () => i18n._('Passphrase of the backups'),
  'backup.command': () => i18n._('Command after each backup'),
  'backup.public_key': () => i18n._('Key that encrypts backups'),
}

const SERVICE_LABELS: Record<string, () => string> = {
  enabled: () => i18n._('Allow sign-in with this service'),
  client_id: () => i18n._('Client ID'),
  secret: () => i18n._('Client secret'),
  url: () => i18n._('Address of the service'),
}

/** The label of the field of a setting. */
export function settingLabel(key: string): string {
  const service = SERVICE_LABELS[key.split('.').at(-1)!]
  return LABELS[key]?.() ?? service?.() ?? key
}

/** The name of a setting outside of its section: settings of a service have the service's name. */
export function settingName(key: string): string {
  const service = /^auth\.external\.(\w+)\./.exec(key)?.[1] as SignInService | undefined
  return service ? serviceNames[service] : settingLabel(key)
}
