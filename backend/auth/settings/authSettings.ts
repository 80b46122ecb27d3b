import type { Config } from '../../config/loadConfig.ts'
import { readCaptchaSettings, type CaptchaSettings } from './captchaSettings.ts'
import { createSettingsReader } from './createSettingsReader.ts'
import { readFactorSettings, type FactorSettings } from './factorSettings.ts'
import { readLimitSettings, type LimitSettings } from './limitSettings.ts'
import { readPasskeySettings, type PasskeySettings } from './passkeySettings.ts'
import { readPasswordSettings, type PasswordSettings } from './passwordSettings.ts'
import { readHookSettings, type HookSettings } from './hookSettings.ts'
import { readMailSettings, type MailSettings } from './mailSettings.ts'
import { readSessionSettings, type SessionSettings } from './sessionSettings.ts'
import { readThirdPartySettings, type TrustedIssuer } from './thirdPartySettings.ts'
import { readTokenSettings, type TokenSettings } from './tokenSettings.ts'
import { readProviderSettings, type ExternalSettings } from './providerSettings.ts'
import { readSmsSettings, type SmsSettings } from './smsSettings.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/** `[auth]` of config.toml with defaults applied. Times in ms unless noted. */
export interface AuthSettings extends MailSettings, TokenSettings {
  signupEnabled: boolean
  /** Whether responses hide the existence of accounts, even where GoTrue reveals it. */
  hidesAccounts: boolean
  anonymousEnabled: boolean
  redirectAllowList: string[]
  password: PasswordSettings
  sessions: SessionSettings
  /** Null if no third-party issuer is configured. */
  thirdParty: TrustedIssuer | null
  limits: LimitSettings
  /** Null if captchas are disabled. */
  captcha: CaptchaSettings | null
  hooks: HookSettings
  sms: SmsSettings
  external: ExternalSettings
  factors: FactorSettings
  passkeys: PasskeySettings
}

/** Reads `[auth]`. Throws ConfigError with a sentence for the administrator. */
export function readAuthSettings(config: Config): AuthSettings {
  const read = createSettingsReader(config)
  const mails = readMailSettings(read)
  checkSiteUrl(config)
  const settings: AuthSettings = {
    signupEnabled: config.at('auth.enable_signup', true),
    // Not a key of Supabase: it belongs in linnet.toml.
    hidesAccounts: config.at('auth.hide_accounts', false),
    anonymousEnabled: config.at('auth.enable_anonymous_sign_ins', false),
    redirectAllowList: config.at('auth.additional_redirect_urls', [] as string[]),
    password: readPasswordSettings(read),
    sessions: readSessionSettings(read),
    thirdParty: readThirdPartySettings(read),
    limits: readLimitSettings(read, { sendsMail: mails.smtp !== null }),
    captcha: readCaptchaSettings(read),
    hooks: readHookSettings(read),
    sms: readSmsSettings(read),
    external: readProviderSettings(read),
    factors: readFactorSettings(read),
    passkeys: readPasskeySettings(read),
    ...mails,
    ...readTokenSettings(read),
  }
  checkMethods(config, settings)
  return settings
}

/** Checks that newcomers have a method to sign in, and that a change of a password needs no code that is never sent. */
function checkMethods(config: Config, { email, password, sms, external }: AuthSettings): void {
  if (email.sendsCodes) return
  if (email.reauthenticateForPassword)
    throw config.errorAt('auth.email.secure_password_change', 'needs auth.email.codes = true')
  const hasService = Object.values(external.providers).some((one) => one.enabled)
  if (!password.enabled && !sms.enabled && !hasService)
    throw config.errorAt(
      'auth.email.codes',
      'and auth.email.passwords are both false, so that nobody could join: enable one of them, or a service in [auth.external]',
    )
}

/**
 * Checks the site's URL in the file. The caller passes the URL separately, but links in mails would be invalid if the
 * URL of the file is.
 */
function checkSiteUrl(config: Config): void {
  const url = config.at('auth.site_url', '')
  if (url === '' || (parseUrl(url) && /^[a-z][a-z0-9+.-]*:\/\//i.test(url))) return
  throw config.errorAt('auth.site_url', `must be an address such as "https://chat.example.com", not "${url}"`)
}
