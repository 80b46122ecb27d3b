import type { Hono } from 'hono'
import type { ServiceEnv, VerifyToken } from '../../wire/claims.ts'
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

/** The app to which routes are added. */
export type AuthApp = Hono<ServiceEnv>

/** Runs transactions. */
export interface TransactionContext {
  pool: Pool
  hooks: Hooks
}

/** Calls hooks within a transaction. */
export interface HookContext {
  settings: AuthSettings
  hooks: Hooks
  log: Logger
}

/** Issues tokens and sessions within a transaction. */
export interface SessionContext extends HookContext {
  keys: AuthKeys
  /** `iss` of tokens: authUrl(), unless config.toml sets one. */
  issuer(): string
}

/** Sends mails. */
export interface MailContext extends HookContext {
  keys: AuthKeys
  limits: RateLimits
  mailer: Mailer
  /** The public URL of this service, `https://…/auth/v1`: prefix of links in mails. */
  authUrl(): string
  /** The site that users are redirected to, without a trailing slash. */
  siteUrl(): string
}

/** Sends text messages. */
export interface SmsContext extends HookContext {
  keys: AuthKeys
  limits: RateLimits
  sms: SmsSender
}

/** Authenticates the callers of requests. */
export interface CallerContext {
  pool: Pool
  settings: AuthSettings
  verifyToken: VerifyToken
}

/** Chooses the target of a redirect. */
export interface RedirectContext {
  siteUrl(): string
  /** Redirect targets that are allowed besides the site itself. */
  allowedRedirects: RegExp[]
}

/** Determines the relying party of WebAuthn. */
export type RelyingPartyContext = Pick<MailContext, 'settings' | 'authUrl' | 'siteUrl'>

/** Signs users in: a transaction that issues a session. */
export type SignInContext = TransactionContext & SessionContext

/** Creates accounts, and sends confirmations to their addresses and numbers. */
export type AccountContext = TransactionContext & MailContext & SmsContext

/** The context of all routes. createAuthService creates it once. Flows take the parts that they need. */
export interface AuthContext
  extends TransactionContext, SessionContext, MailContext, SmsContext, CallerContext, RedirectContext {
  passwords: Passwords
  /** Null when the configuration enables no captcha. */
  captcha: Captcha | null
  providers: Providers
}
