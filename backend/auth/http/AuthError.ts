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
