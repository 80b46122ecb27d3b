import { callCommand } from '../client/callCommand.ts'
import { refreshSession } from '../client/requestAuth.ts'
import { createFailure, success, type Outcome } from '../failures/failures.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { refetchAccountAfter } from './ownAccount.ts'

/** How many recovery codes the account has left, and when they were created. */
export const recoveryCodes = createQuery({ fetch: () => callCommand('my_recovery_codes', {}) })

/** Replaces the recovery codes. The value has the new ones, which cannot be fetched again. */
export async function createRecoveryCodes(): Promise<Outcome<readonly string[]>> {
  const outcome = refetchAfter(await callCommand('create_recovery_codes', {}), recoveryCodes)
  return outcome.ok ? success(outcome.value.codes) : outcome
}

/**
 * Removes the second factors of the account by a recovery code. The refreshed session needs none any more. A wrong code fails with
 * `recovery_code_wrong`.
 */
export async function removeFactorsByCode(code: string): Promise<Outcome> {
  const outcome = await callCommand('use_recovery_code', { code })
  // A conflict: the account has no second factor any more.
  if (!outcome.ok && outcome.failure.name !== 'conflict') return outcome
  if (outcome.ok && !outcome.value.accepted)
    return { ok: false, failure: createFailure('recovery_code_wrong') }
  return refetchAccountAfter(await refreshSession())
}
