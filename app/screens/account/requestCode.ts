import { success, type Outcome } from '../../data/failures/failures.ts'

/**
 * Requests a code. If one was sent so recently that the server names a waiting time, that code is still valid: a
 * toast shows the reason, and the page continues to the code field.
 */
export async function requestCode(
  send: () => Promise<Outcome>,
  showToast: (toast: { text: string }) => void,
): Promise<Outcome> {
  const outcome = await send()
  if (outcome.ok || !outcome.failure.seconds) return outcome
  showToast({ text: outcome.failure.message })
  return success(undefined)
}
