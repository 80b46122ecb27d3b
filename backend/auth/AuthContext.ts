import type { VerifyToken } from '../../wire/claims.ts'
import type { Logger } from '../logging/log.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { AuthSettings } from './settings/authSettings.ts'
import type { AuthKeys } from './tokens/keys.ts'
import type { Mailer } from './mail/queue/createMailer.ts'
import type { Captcha } from './limits/captcha.ts'
import type { Passwords } from './passwords/passwords.ts'
import type { Providers } from './providers/createProviders.ts'
import type { RateLimits } from './limits/rateLimits.ts'
import type { Hooks } from './hooks/createHooks.ts'
import type { Texts } from './sms/createTexts.ts'

/** What the routes share. Built once by createAuthService. */
export interface AuthContext {
  pool: Pool
  keys: AuthKeys
  settings: AuthSettings
  /** Where else than to the site itself people may be sent back. */
  allowedRedirects: RegExp[]
  verifyToken: VerifyToken
  passwords: Passwords
  limits: RateLimits
  /** Null where the configuration asks for none. */
  captcha: Captcha | null
  hooks: Hooks
  mailer: Mailer
  texts: Texts
  providers: Providers
  log: Logger
  /** Where people come back to: no slash at the end. */
  siteUrl(): string
  /** This service from outside, `https://…/auth/v1`: start of mailed links. */
  authUrl(): string
  /** `iss` of tokens: the same, unless it was named. */
  issuer(): string
}
