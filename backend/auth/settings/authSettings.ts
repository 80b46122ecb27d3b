import type { Config } from '../../config/loadConfig.ts'
import { readCaptchaSettings, type CaptchaSettings } from './captchaSettings.ts'
import { createSettingsReader } from './createSettingsReader.ts'
import { readLimitSettings, type LimitSettings } from './limitSettings.ts'
import { readPasswordSettings, type PasswordSettings } from './passwordSettings.ts'
import { readHookSettings, type HookSettings } from './hookSettings.ts'
import { readMailSettings, type MailSettings } from './mailSettings.ts'
import { readSmsSettings, type SmsSettings } from './smsSettings.ts'

/** `[auth]` of config.toml as the service reads it, defaults filled in. Times in ms unless said. */
export interface AuthSettings extends MailSettings {
  /** Life of access tokens in seconds. */
  jwtExpiry: number
  signupEnabled: boolean
  anonymousEnabled: boolean
  redirectAllowList: string[]
  refreshRotation: boolean
  refreshReuseInterval: number
  password: PasswordSettings
  sessions: { timebox: number; inactivity: number }
  limits: LimitSettings
  /** Null where no captcha is asked. */
  captcha: CaptchaSettings | null
  hooks: HookSettings
  sms: SmsSettings
}

/** Reads `[auth]`. Throws ConfigError with a sentence for the person who wrote the file. */
export function readAuthSettings(config: Config): AuthSettings {
  const read = createSettingsReader(config)
  const { time, within } = read
  const mails = readMailSettings(read)
  return {
    jwtExpiry: within('auth.jwt_expiry', 3600, 10, 604_800),
    signupEnabled: config.at('auth.enable_signup', true),
    anonymousEnabled: config.at('auth.enable_anonymous_sign_ins', false),
    redirectAllowList: config.at('auth.additional_redirect_urls', [] as string[]),
    refreshRotation: config.at('auth.enable_refresh_token_rotation', true),
    refreshReuseInterval: within('auth.refresh_token_reuse_interval', 10, 0, 86_400) * 1000,
    password: readPasswordSettings(read),
    sessions: {
      timebox: time('auth.sessions.timebox', '0'),
      inactivity: time('auth.sessions.inactivity_timeout', '0'),
    },
    limits: readLimitSettings(read, { sendsMail: mails.smtp !== null }),
    captcha: readCaptchaSettings(read),
    hooks: readHookSettings(read),
    sms: readSmsSettings(read),
    ...mails,
  }
}
