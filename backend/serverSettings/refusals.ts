import {
  serverSettings,
  signInServices,
  type SettingChanges,
  type SettingsError,
  type SettingsRefusal,
} from '../../wire/serverSettings.ts'
import { isSecretKey } from '../config/KnownKey.ts'
import { ConfigError, type Config } from '../config/loadConfig.ts'
import { settingsFile, tableWithSecretOf, type StoredSettings } from '../config/settingsFile.ts'
import { findChanged, findFixedBy, type Places } from './describeSettings.ts'

/** A refused change of settings, with the sentence and the setting for the page. */
export class SettingsRefused extends Error {
  readonly error: SettingsRefusal
  readonly setting: string | null
  constructor(error: SettingsRefusal, message: string, setting: string | null = null) {
    super(message)
    this.error = error
    this.setting = setting
  }
  body(): SettingsError {
    return { error: this.error, message: this.message, setting: this.setting }
  }
}

/** A configured setting that an error of the parser is about; null if it names none. */
function findSetting(message: string): string | null {
  const named = serverSettings.filter((key) => message.includes(key))
  const longest = named.toSorted((one, other) => other.length - one.length)[0]
  if (longest !== undefined) return longest
  // The parser names the table if a key is missing.
  const table = serverSettings.find((key) => {
    const name = tableWithSecretOf(key)
    return name !== null && message.includes(name)
  })
  return table ?? null
}

/** Runs the parser, and turns its error into a refusal. The path of settings.json is left out. */
export function refuseInvalid<Result>(parse: () => Result, dataDir: string): Result {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ConfigError) && (error as Error).name !== 'UsageError') throw error
    const message = (error as Error).message.replace(`${settingsFile(dataDir)}: `, '')
    throw new SettingsRefused('invalid_setting', message, findSetting(message))
  }
}

/** Refuses changes that the page can't make: unknown keys, values of another form and settings that a file fixes. */
export function requireChangeable(changes: SettingChanges, config: Config, places: Places): void {
  for (const [key, value] of Object.entries(changes)) {
    if (!serverSettings.includes(key))
      throw new SettingsRefused('invalid_setting', `${key} can only be set in linnet.toml.`, null)
    const fixedBy = findFixedBy(config, key, places)
    if (fixedBy !== null)
      throw new SettingsRefused('fixed_setting', `${key} is set in ${fixedBy}. Change it there.`, key)
    if (value === null) continue
    if (!['string', 'number', 'boolean'].includes(typeof value) || String(value).length > 2_000)
      throw new SettingsRefused('invalid_setting', `${key} must be a text, a number or a switch.`, key)
    // A reference would reveal variables of the server, since the page displays values.
    if (/^\s*env\(/.test(String(value)))
      throw new SettingsRefused(
        'invalid_setting',
        `${key} can refer to an environment variable only in linnet.toml.`,
        key,
      )
  }
}

/** Keys that decide which server receives the password of their table. */
const destination = /\.(host|port|user|url|client_id)$/

/**
 * Refuses to send a stored password to another server: an owner can't read it, and could otherwise have it sent to a server
 * of their own.
 */
export function requireSecretsAgain(stored: StoredSettings, changes: SettingChanges): void {
  for (const secret of serverSettings.filter(isSecretKey)) {
    const table = tableWithSecretOf(secret)
    if (stored[secret] === undefined || changes[secret] !== undefined || table === null) continue
    const changed = Object.entries(changes).find(
      ([key, value]) =>
        tableWithSecretOf(key) === table && destination.test(key) && (stored[key] ?? null) !== value,
    )
    if (changed !== undefined)
      throw new SettingsRefused(
        'invalid_setting',
        `${secret} is needed again, because ${changed[0]} changes.`,
        secret,
      )
  }
}

/** The caller's own methods to sign in. */
export interface OwnMethods {
  /** Of the account, such as `email` and `google`. */
  providers: readonly string[]
  hasPassword: boolean
  hasPasskey: boolean
}

/**
 * How the caller could sign in again. 3: by mail or an account of a service. 2: by a password or a passkey, which the caller may have
 * lost. 1: by a code that is shown on the machine of the server. 0: not at all.
 */
function rankSignIn(
  config: Config,
  { providers, hasPassword, hasPasskey }: OwnMethods,
  sendsMail: boolean,
): 0 | 1 | 2 | 3 {
  const isOn = (key: string, byDefault: boolean): boolean => config.at(key, byDefault)
  const hasCodes = isOn('auth.email.codes', true)
  const own = signInServices.filter((name) => providers.includes(name))
  if ((hasCodes && sendsMail) || own.some((name) => isOn(`auth.external.${name}.enabled`, false))) return 3
  if (hasPassword && isOn('auth.email.passwords', true)) return 2
  if (hasPasskey && isOn('auth.passkey.enabled', false)) return 2
  return hasCodes ? 1 : 0
}

/**
 * Refuses settings that leave the caller no method to sign in. It also refuses settings that leave the caller only a password, a passkey
 * or a code that is shown on the machine of the server, unless the caller has accepted them.
 * @param sendsMail whether there is a mail server
 */
export function requireSignIn(
  before: Config,
  after: Config,
  own: OwnMethods,
  o: { sendsMail: (config: Config) => boolean; isAccepted: boolean },
): void {
  const rank = rankSignIn(after, own, o.sendsMail(after))
  if (rank >= rankSignIn(before, own, o.sendsMail(before))) return
  const setting = findChanged(before, after).find((key) => key.startsWith('auth.')) ?? null
  if (rank === 0)
    throw new SettingsRefused(
      'no_sign_in_method',
      'With these settings, you could not sign in any more. Add a password or a passkey to your account first.',
      setting,
    )
  if (o.isAccepted) return
  throw new SettingsRefused(
    'last_sign_in_method',
    'With these settings, you can sign in only with a password, a passkey or a code that is shown on the machine of the server.',
    setting,
  )
}
