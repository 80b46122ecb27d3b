import type { VerifyToken } from '../../wire/claims.ts'
import type { Log } from '../log/log.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { AuthSettings } from './settings/authSettings.ts'
import type { AuthKeys } from './tokens/keys.ts'
import type { Mailer } from './mail/createMailer.ts'
import type { Passwords } from './guards/passwords.ts'
import type { RateLimits } from './guards/rateLimits.ts'
import type { HookLimits } from './hooks/HookLimits.ts'
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
  hookLimits: HookLimits
  mailer: Mailer
  texts: Texts
  log: Log
  /** Where people come back to: no slash at the end. */
  siteUrl(): string
  /** This service from outside, `https://…/auth/v1`: issuer of tokens, start of mailed links. */
  authUrl(): string
}
