import type { AuthApp, AuthContext } from './AuthContext.ts'
import type { AuthRequest } from './http/authenticate.ts'
import type { LimitName } from './limits/rateLimits.ts'
import type { Queryable } from './rows/findUser.ts'
import type { SessionResponse } from './sessions/sessions.ts'
import type { SettingsReader } from './settings/createSettingsReader.ts'
import type { SmsProvider } from './sms/SmsProvider.ts'

/** A grant of POST /token. */
export interface Grant {
  issueSession(ctx: AuthContext, c: AuthRequest): Promise<SessionResponse>
  /** The rate limit that counts its requests, by IP address. */
  limit: LimitName
  /** False for a grant with a proof that a bot cannot create. */
  requiresCaptcha: boolean
}

/** The parts that an extra adds to the auth service. The service imports no extra; main.ts registers them. */
export interface AuthExtension {
  addRoutes?(app: AuthApp, ctx: AuthContext): void
  /** Grants by their `grant_type`. */
  grants?: Record<string, Grant>
  /** The provider that sends text messages; null if none is configured. */
  smsProvider?: SmsProvider | null
  /** Deletes expired rows; called every hour. */
  sweep?(db: Queryable): Promise<void>
}

/** Reads the settings of an extra. Throws ConfigError. */
export type ConfigureAuthExtension = (read: SettingsReader) => AuthExtension
