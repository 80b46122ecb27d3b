/**
 * The payload of an access token as hosted Supabase issues it: registered claims of RFC 7519, and Supabase's own.
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
  /** Sessions of the OAuth server: the application that the person authorised, and its scopes. */
  client_id?: string
  scope?: string
  app_metadata?: Record<string, unknown>
  user_metadata?: Record<string, unknown>
  [claim: string]: unknown
}

/** The caller of a request: a database role, and the claims that policies read from `request.jwt.claims`. */
export interface Caller {
  role: string
  claims: Claims
  /** `claims` as JSON: serialized once per token instead of once per request. */
  claimsJson: string
  /**
   * The client's network as `networkOf` returns it: the key of budgets where the claims name no person.
   */
  network?: string
  /** The key of budgets where a service acts with its own rights on behalf of a person. */
  budgetKey?: string
}

/** Why a token is not accepted: each service has its own message for it. */
export type TokenFault = 'malformed' | 'signature' | 'expired' | 'not-yet-valid' | 'audience'

export type Verified = { ok: true; caller: Caller } | { ok: false; fault: TokenFault; message: string }

/** Checks signature and time of an access token. Results are cached by token until it expires. */
export type VerifyToken = (token: string) => Promise<Verified>

/** The variables that the gateway sets on each request (Hono's `Env`). */
export interface ServiceEnv {
  Variables: {
    /** The role of the `apikey`: `anon` or `service_role`. */
    apiCaller: Caller
    /** The token in `Authorization`, "" where that is empty; null without this header, or if it has an API key. */
    bearer: string | null
    requestId: string
    /**
     * The origin at which the caller opened this server, if the server has no public address and the origin is one of its
     * own.
     */
    origin?: string | null
    /** The key of the request's budgets. */
    callerKey?: string
    /** Counts bytes that are buffered for the request, until it ends; false where the caller has too many already. */
    lease?: { take(bytes: number): boolean }
  }
}
