import { ConfigError, type Config } from '../../config/loadConfig.ts'
import { createSettingsReader } from './createSettingsReader.ts'
import type { HookName } from '../hooks/askHook.ts'
import { parseHookUri } from '../hooks/parseHookUri.ts'

/** `[auth]` of config.toml as the service reads it, defaults filled in. Times in ms unless said. */
export interface AuthSettings {
  /** Life of access tokens in seconds. */
  jwtExpiry: number
  signupEnabled: boolean
  anonymousEnabled: boolean
  redirectAllowList: string[]
  refreshRotation: boolean
  refreshReuseInterval: number
  password: { minimumLength: number; required: string[] }
  email: {
    enabled: boolean
    /** Without confirmations an account is confirmed when it is made. */
    autoconfirm: boolean
    doubleConfirmChanges: boolean
    reauthenticateForPassword: boolean
    maxFrequency: number
    otpLength: number
    otpExpiry: number
  }
  sessions: { timebox: number; inactivity: number }
  limits: {
    /** Mails an hour by SMTP; null without SMTP, where they cost nothing. */
    emailPerHour: number | null
    anonymousPerHour: number
    tokenPer5Minutes: number
    signInPer5Minutes: number
    verifyPer5Minutes: number
  }
  /** The function that each hook calls, quoted for SQL. */
  hooks: Partial<Record<HookName, string | null>>
  smtp: Smtp | null
}

export interface Smtp {
  host: string
  port: number
  user: string
  password: string
  from: { name: string; address: string }
}

const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const digits = '0123456789'
const symbols = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~'
/** Sets of which a password needs one character each, by the names that config.toml knows. */
const requirements: Record<string, string[]> = {
  '': [],
  letters_digits: [lower + upper, digits],
  lower_upper_letters_digits: [lower, upper, digits],
  lower_upper_letters_digits_symbols: [lower, upper, digits, symbols],
}

/** Reads `[auth]`. Throws ConfigError with a sentence for the person who wrote the file. */
export function readAuthSettings(config: Config): AuthSettings {
  const { time, within, oneOf } = createSettingsReader(config)
  const requirement = oneOf('auth.password_requirements', '', Object.keys(requirements))
  const smtp = readSmtp(config)
  return {
    jwtExpiry: within('auth.jwt_expiry', 3600, 10, 604_800),
    signupEnabled: config.at('auth.enable_signup', true),
    anonymousEnabled: config.at('auth.enable_anonymous_sign_ins', false),
    redirectAllowList: config.at('auth.additional_redirect_urls', [] as string[]),
    refreshRotation: config.at('auth.enable_refresh_token_rotation', true),
    refreshReuseInterval: within('auth.refresh_token_reuse_interval', 10, 0, 86_400) * 1000,
    password: {
      minimumLength: within('auth.minimum_password_length', 6, 6, 72),
      required: requirements[requirement]!,
    },
    email: {
      enabled: config.at('auth.email.enabled', config.at('auth.email.enable_signup', true)),
      autoconfirm: !config.at('auth.email.enable_confirmations', false),
      doubleConfirmChanges: config.at('auth.email.double_confirm_changes', true),
      reauthenticateForPassword: config.at('auth.email.secure_password_change', false),
      maxFrequency: time('auth.email.max_frequency', '1m'),
      otpLength: within('auth.email.otp_length', 6, 6, 10),
      otpExpiry: within('auth.email.otp_expiry', 86_400, 1, 86_400) * 1000,
    },
    sessions: {
      timebox: time('auth.sessions.timebox', '0'),
      inactivity: time('auth.sessions.inactivity_timeout', '0'),
    },
    limits: {
      emailPerHour: smtp ? within('auth.rate_limit.email_sent', 30, 0, 1e9) : null,
      anonymousPerHour: within('auth.rate_limit.anonymous_users', 30, 0, 1e9),
      tokenPer5Minutes: within('auth.rate_limit.token_refresh', 150, 0, 1e9),
      signInPer5Minutes: within('auth.rate_limit.sign_in_sign_ups', 30, 0, 1e9),
      verifyPer5Minutes: within('auth.rate_limit.token_verifications', 30, 0, 1e9),
    },
    hooks: {
      before_user_created: readHook(config, 'before_user_created'),
      custom_access_token: readHook(config, 'custom_access_token'),
    },
    smtp,
  }
}

/** The function that an enabled hook names, quoted for SQL; null where the hook is off. */
function readHook(config: Config, name: string): string | null {
  const path = `auth.hook.${name}`
  if (!config.at(`${path}.enabled`, false)) return null
  const uri = config.at(`${path}.uri`, '')
  const called = parseHookUri(uri)
  // A guard that is switched on and silently not asked would be worse than a start that fails.
  if (!called) {
    throw new ConfigError(
      `${path}.uri must be pg-functions://postgres/<schema>/<function>, not "${uri}": hooks by HTTP are not served`,
    )
  }
  return called
}

function readSmtp(config: Config): Smtp | null {
  const path = 'auth.email.smtp'
  const host = config.at(`${path}.host`, '')
  if (!config.at(`${path}.enabled`, host !== '')) return null
  const address = config.at(`${path}.admin_email`, '')
  if (!host || !address) throw new ConfigError(`${path} needs host and admin_email, or enabled = false`)
  return {
    host,
    port: config.at(`${path}.port`, 587),
    user: config.at(`${path}.user`, ''),
    password: config.at(`${path}.pass`, ''),
    from: { name: config.at(`${path}.sender_name`, 'Linnet'), address },
  }
}
