/**
 * Who asks: the claims of a token, and what they become in the database.
 *
 * `Claims` is the payload of an access token as hosted auth issues it (RFC 7519 names plus its own).
 */
export interface Claims {
  iss?: string
  sub?: string
  aud?: string | string[]
  /** Seconds since 1970. */
  exp?: number
  iat?: number
  role?: string
  session_id?: string
  aal?: 'aal1' | 'aal2'
  amr?: { method: string; timestamp: number }[]
  email?: string
  phone?: string
  is_anonymous?: boolean
  /** The application that the person let in, and what for, where the session is one's of the OAuth server. */
  client_id?: string
  scope?: string
  app_metadata?: Record<string, unknown>
  user_metadata?: Record<string, unknown>
  [claim: string]: unknown
}

/** A role of the database and the claims that `request.jwt.claims` shows to its policies. */
export interface Caller {
  role: string
  claims: Claims
  /** `claims` as JSON, made once for each token rather than once for each request. */
  claimsJson: string
  /**
   * The network address that the request comes from, as `networkOf` gives it: what budgets are counted under where the
   * claims name no person.
   */
  network?: string
  /** What budgets are counted under, where a service acts with rights of its own for somebody. */
  payer?: string
}

/** Why a token is not accepted: each service has its own message for it. */
export type TokenFault = 'malformed' | 'signature' | 'expired' | 'not-yet-valid' | 'audience'

export type Verified = { ok: true; caller: Caller } | { ok: false; fault: TokenFault; message: string }

/** Checks signature and time of an access token. Answers are cached by token until it expires. */
export type VerifyToken = (token: string) => Promise<Verified>

/** What the gateway hands to each service with a request (Hono's `Env`). */
export interface ServiceEnv {
  Variables: {
    /** Whom the `apikey` stands for: `anon` or `service_role`. */
    apiCaller: Caller
    /** The token of `Authorization`, "" where it has none; null when absent, an `sb_` key, or the API key itself. */
    bearer: string | null
    requestId: string
    /** What the budgets of the request are counted under (`callerKey`). */
    callerKey?: string
    /** Counts bytes that are buffered for the request, until it ends; false where the caller has too many already. */
    lease?: { take(bytes: number): boolean }
  }
}
