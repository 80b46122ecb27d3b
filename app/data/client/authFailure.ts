import '../failures/entryFailures.ts'
import { failureFrom, createFailure, type Failure } from '../failures/failures.ts'

interface AuthErrorBody {
  code?: string
  message?: string
  /** What a password lacks: of `length`, `characters`, `pwned`. */
  weak_password?: { reasons?: string[] }
  reasons?: string[]
}

/**
 * What the auth service refused, as a failure. Seconds to wait are taken from its text ("… only request this after 47
 * seconds"), since it names them nowhere else; of what a password lacks, the worst is named.
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
  return seconds ? { ...failure, seconds } : failure
}
