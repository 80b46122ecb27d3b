import type { VerifyToken } from '../../wire/claims.ts'
import type { Logger } from '../logging/logger.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { AuthSettings } from './settings/authSettings.ts'
import type { AuthKeys } from './tokens/keys.ts'
import type { Mailer } from './mail/queue/createMailer.ts'
import type { Captcha } from './limits/captcha.ts'
import type { Passwords } from './passwords/passwords.ts'
import type { Providers } from './providers/createProviders.ts'
import type { RateLimits } from './limits/rateLimits.ts'
import type { Hooks } from './hooks/createHooks.ts'
import type { SmsSender } from './sms/createSmsSender.ts'

/** What the routes share; created once by createAuthService. */
export interface AuthContext {
  pool: Pool
  keys: AuthKeys
  settings: AuthSettings
  /** Redirect targets that are allowed besides the site itself. */
  allowedRedirects: RegExp[]
  verifyToken: VerifyToken
  passwords: Passwords
  limits: RateLimits
  /** Null when the configuration enables no captcha. */
  captcha: Captcha | null
  hooks: Hooks
  mailer: Mailer
  sms: SmsSender
  providers: Providers
  log: Logger
  /** The site that users are redirected to, without a trailing slash. */
  siteUrl(): string
  /** The public URL of this service, `https://…/auth/v1`: prefix of links in mails. */
  authUrl(): string
  /** `iss` of tokens: authUrl(), unless config.toml sets one. */
  issuer(): string
}
