import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AuthErrorCode } from './AuthErrorCode.ts'

export type { AuthErrorCode } from './AuthErrorCode.ts'

/** Why a password is too weak, as GoTrue names the reasons. */
export type WeakPasswordReason = 'length' | 'characters' | 'pwned'

/** An error that is sent to the client. `cause` is only logged. */
export class AuthError extends Error {
  override name = 'AuthError'
  readonly status: ContentfulStatusCode
  /** Empty where GoTrue sends none: hooks that reject a request return only a status and a message. */
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

/** AuthError 400 validation_failed: a value of the request is missing or invalid. */
export function invalid(message: string): AuthError {
  return new AuthError(400, 'validation_failed', message)
}

/** Error codes of RFC 6749 §4.1.2.1 and §5.2, and two that GoTrue writes with a space. */
type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid request'
  | 'invalid nonce'
  | 'unsupported_grant_type'

/** An error in OAuth's format: status 400, `{error, error_description}`. */
export class OAuthError extends AuthError {
  override name = 'OAuthError'
  readonly errorCode: OAuthErrorCode

  constructor(errorCode: OAuthErrorCode, description: string) {
    super(400, '', description)
    this.errorCode = errorCode
  }
}
