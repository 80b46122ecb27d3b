import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Codes of the contract that this service answers with; the list is longer on hosted. */
export type AuthErrorCode =
  | 'unexpected_failure'
  | 'unknown'
  | 'validation_failed'
  | 'bad_json'
  | 'request_entity_too_large'
  | 'email_exists'
  | 'bad_jwt'
  | 'not_admin'
  | 'no_authorization'
  | 'user_not_found'
  | 'session_not_found'
  | 'session_expired'
  | 'refresh_token_not_found'
  | 'refresh_token_already_used'
  | 'flow_state_not_found'
  | 'flow_state_expired'
  | 'bad_code_verifier'
  | 'signup_disabled'
  | 'user_banned'
  | 'bad_oauth_callback'
  | 'email_provider_disabled'
  | 'phone_provider_disabled'
  | 'anonymous_provider_disabled'
  | 'provider_disabled'
  | 'saml_provider_disabled'
  | 'passkey_disabled'
  | 'web3_provider_disabled'
  | 'manual_linking_disabled'
  | 'mfa_totp_enroll_not_enabled'
  | 'mfa_phone_enroll_not_enabled'
  | 'mfa_webauthn_enroll_not_enabled'
  | 'mfa_factor_not_found'
  | 'insufficient_aal'
  | 'email_not_confirmed'
  | 'user_already_exists'
  | 'reauthentication_needed'
  | 'reauthentication_not_valid'
  | 'same_password'
  | 'otp_expired'
  | 'otp_disabled'
  | 'weak_password'
  | 'over_request_rate_limit'
  | 'over_email_send_rate_limit'
  | 'invalid_credentials'
  | 'not_found'
  | 'not_implemented'

/** Reasons of the contract why a password is too weak. */
export type WeakPasswordReason = 'length' | 'characters'

/** What the client is told. Nothing else of the cause ever leaves the service. */
export class AuthError extends Error {
  override name = 'AuthError'
  readonly status: ContentfulStatusCode
  /** Empty where the contract has none: hooks that refuse bring a status and a sentence alone. */
  readonly code: AuthErrorCode | ''
  readonly reasons: WeakPasswordReason[] | null
  /** Seconds until a retry may help (`Retry-After`). */
  readonly retryAfter: number | null

  constructor(
    status: number,
    code: AuthErrorCode | '',
    message: string,
    o: { reasons?: WeakPasswordReason[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: o.cause })
    this.status = status as ContentfulStatusCode
    this.code = code
    this.reasons = o.reasons ?? null
    this.retryAfter = o.retryAfter ?? null
  }
}
