import { done, type Outcome } from '../../data/failures/failures.ts'

/**
 * Asks for a code; where one went out a moment ago, so that the server names a time to wait, that one is as good as a
 * new one: `say` tells it, and the page goes on to where it is typed.
 */
export async function requestCode(
  send: () => Promise<Outcome>,
  showToast: (toast: { text: string }) => void,
): Promise<Outcome> {
  const outcome = await send()
  if (outcome.ok || !outcome.failure.seconds) return outcome
  showToast({ text: outcome.failure.sentence })
  return done(undefined)
}
