import type { Timestamp } from './scalars.ts'

/** Services with whose accounts people can sign in, as the page "Server" offers them. */
export const signInServices = [
  'google',
  'github',
  'gitlab',
  'azure',
  'keycloak',
  'slack_oidc',
  'linkedin_oidc',
  'discord',
] as const

export type SignInService = (typeof signInServices)[number]

/** The services that have an address of their own: the address of a server, or of a tenant. */
export const servicesWithUrl: readonly SignInService[] = ['gitlab', 'azure', 'keycloak']

const settingsOfService = (name: SignInService): string[] =>
  ['enabled', 'client_id', 'secret', ...(servicesWithUrl.includes(name) ? ['url'] : [])].map(
    (key) => `auth.external.${name}.${key}`,
  )

/**
 * The settings that owners of the server change on the page "Server", by their keys in linnet.toml. None of them runs a
 * program, reads a file or opens a port.
 */
export const serverSettings: readonly string[] = [
  'server.public_url',

  'auth.email.smtp.host',
  'auth.email.smtp.port',
  'auth.email.smtp.user',
  'auth.email.smtp.pass',
  'auth.email.smtp.admin_email',
  'auth.email.smtp.sender_name',

  'auth.email.codes',
  'auth.email.passwords',
  'auth.passkey.enabled',

  ...signInServices.flatMap(settingsOfService),

  'storage.file_size_limit',
  'auth.rate_limit.email_sent',
  'settings.invitation_mails_per_day',
  'settings.mail_max_per_hour',
  'settings.mail_delay_minutes',

  'backup.enabled',
  'backup.to',
  'backup.at',
  'backup.keep_days',
  'backup.keep_weeks',
  'backup.keep_months',
  'backup.point_in_time',
  'backup.passphrase',
]

/** The settings that the page "Server" only displays: a program that runs on the server, and the key that encrypts the backups. */
export const displayedSettings: readonly string[] = ['backup.command', 'backup.public_key']

export type SettingValue = string | number | boolean

/** New values by key; null: the setting is removed, and its default applies. */
export type SettingChanges = Record<string, SettingValue | null>

/** A setting as the page shows it. */
export interface ServerSetting {
  /** The value after the next start; null: the default, or a secret. */
  value: SettingValue | null
  /** Whether there is a value. Of a secret, nothing else is known. */
  isSet: boolean
  /** The file, the environment variable or the option that fixes the value; null: the page can change it. */
  fixedBy: string | null
}

/** Response to `GET /server/v1/settings`. */
export interface ServerSettings {
  /** Changes with each change of the stored settings. A save names the revision that it is based on. */
  revision: string
  settings: Record<string, ServerSetting>
  /** The settings whose new values apply after the next start. */
  waiting: string[]
  /** Whether the server restarts on request. */
  canRestart: boolean
  /** When this server started. */
  startedAt: string
  /** Why the server did not start with changed settings, which are undone; null if it did. */
  undone: string | null
}

/** The names of responses that refuse a save. */
export type SettingsRefusal =
  /** A value is refused. `setting` is the key, if one value is the reason. */
  | 'invalid_setting'
  /** A file or an environment variable fixes the value. */
  | 'fixed_setting'
  /** Another owner has saved since `revision`. */
  | 'changed_meanwhile'
  /** The server is not reachable at the new address. A save with `accept` stores it. */
  | 'address_unreachable'
  /** The last method by which the caller signs in from another machine ends. A save with `accept` stores it. */
  | 'last_sign_in_method'
  /** The caller could not sign in any more. */
  | 'no_sign_in_method'

/** Body of a refusal. */
export interface SettingsError {
  error: SettingsRefusal
  message: string
  setting: string | null
}

/** Body of `PUT /server/v1/settings`. */
export interface SaveSettings {
  workspace: string
  revision: string
  changes: SettingChanges
  /** Warnings that the owner has read. */
  accept?: SettingsRefusal[]
}

/** Response to `POST /server/v1/settings/test-mail`. */
export interface TestMailResult {
  recipient: string
  /** What the mail server responded, or why there was no response; null: it has accepted the mail. */
  problem: string | null
  /** Whether `problem` is a response of the mail server. */
  isResponse: boolean
}

/** Response to `GET /server/v1/backup` and `POST /server/v1/backup`. */
export interface BackupStatus {
  /** Whether the server makes backups; a restored copy begins once its restore is confirmed. */
  isAvailable: boolean
  isRunning: boolean
  /** The last backup that succeeded. */
  last: {
    at: Timestamp
    /** The bytes that it added to the folder. */
    addedBytes: number
    dir: string
    /** Whether the command after it failed, such as one that copies the backups to another machine. */
    hasCommandFailed: boolean
  } | null
  /** Why a later backup has failed: a sentence. */
  failure: { at: Timestamp; reason: string } | null
}
