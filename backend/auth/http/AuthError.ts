import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AuthErrorCode } from './AuthErrorCode.ts'

export type { AuthErrorCode } from './AuthErrorCode.ts'

/** Reasons of the contract why a password is too weak. */
export type WeakPasswordReason = 'length' | 'characters' | 'pwned'

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
