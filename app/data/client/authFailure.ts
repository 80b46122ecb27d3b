import '../failures/entryFailures.ts'
import { failureFrom, failureNamed, type Failure } from '../failures/failures.ts'

interface Said {
  code?: string
  message?: string
  /** What a password lacks: of `length`, `characters`, `pwned`. */
  weak_password?: { reasons?: string[] }
  reasons?: string[]
}

/**
 * What the auth service refused, as a failure. Seconds to wait are taken from its words ("… only request this after 47
 * seconds"), since it names them nowhere else; of what a password lacks, the worst is named.
 */
export function refusal(cause: unknown, status?: number): Failure {
  const said = (typeof cause === 'object' && cause !== null ? cause : {}) as Said
  if (said.code === 'weak_password') {
    const reasons = said.weak_password?.reasons ?? said.reasons ?? []
    const worst = ['pwned', 'length', 'characters'].find((reason) => reasons.includes(reason))
    return failureNamed(worst ? `weak_password_${worst}` : 'weak_password')
  }
  const failure = failureFrom(cause, status)
  const seconds = Number(/after (\d+) seconds?/.exec(said.message ?? '')?.[1])
  return seconds ? { ...failure, seconds } : failure
}
