import '../failures/joiningFailures.ts'
import { i18n } from '@lingui/core'
import { failureFrom, createFailure, type Failure } from '../failures/failures.ts'

interface AuthErrorBody {
  code?: string
  message?: string
  /** Why a password is too weak: `length`, `characters`, `pwned`. */
  weak_password?: { reasons?: string[] }
  reasons?: string[]
}

/**
 * The failure for an error of the auth service. Seconds to wait are parsed from its message ("… only request this after
 * 47 seconds"), which alone contains them. Of several weaknesses of a password the worst is reported.
 */
export function authFailure(cause: unknown, status?: number): Failure {
  const body = (typeof cause === 'object' && cause !== null ? cause : {}) as AuthErrorBody
  if (body.code === 'weak_password') {
    const reasons = body.weak_password?.reasons ?? body.reasons ?? []
    const worst = ['pwned', 'length', 'characters'].find((reason) => reasons.includes(reason))
    return createFailure(worst ? `weak_password_${worst}` : 'weak_password')
  }
  const failure = failureFrom(cause, status)
  const seconds = Number(/after (\d+) seconds?/.exec(body.message ?? '')?.[1])
  if (!seconds) return failure
  // No mail was sent, unlike in the cooldown after one, which has the same code.
  const isLimitOfAll = /rate limit exceeded/.test(body.message ?? '')
  return { ...failure, seconds, ...(isLimitOfAll && { message: limitReached(seconds) }) }
}

const limitReached = (seconds: number) =>
  i18n._('Too many emails or codes were requested in this hour. Try again in {minutes} min.', {
    minutes: Math.ceil(seconds / 60),
  })
