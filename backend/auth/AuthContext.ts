import type { VerifyToken } from '../../wire/claims.ts'
import type { Log } from '../log/log.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { AuthSettings } from './authSettings.ts'
import type { AuthKeys } from './keys.ts'
import type { Mailer } from './mail/createMailer.ts'
import type { Passwords } from './passwords.ts'
import type { RateLimits } from './rateLimits.ts'

/** What the routes share. Built once by createAuthService. */
export interface AuthContext {
  pool: Pool
  keys: AuthKeys
  settings: AuthSettings
  verifyToken: VerifyToken
  passwords: Passwords
  limits: RateLimits
  mailer: Mailer
  log: Log
  /** Where people come back to: no slash at the end. */
  siteUrl(): string
  /** This service from outside, `https://…/auth/v1`: issuer of tokens, start of mailed links. */
  authUrl(): string
}
