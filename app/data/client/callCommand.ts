import type { CommandName, Commands } from '../../../wire/linnet.ts'
import { getClient } from './getClient.ts'
import { done, failureFrom, failureNamed } from '../failures/failures.ts'
import { isAnswer } from './isExpectedResponse.ts'
import type { Outcome } from '../failures/failures.ts'

/** Milliseconds after which an unanswered command counts as a fault of the network. */
const PATIENCE = 30_000

/**
 * Asks one command of the database as the signed-in person. A token that ran out in mid-flight is renewed
 * and the command asked once more; every command can bear to be asked twice.
 */
export async function command<N extends CommandName>(
  name: N,
  args: Commands[N]['args'],
): Promise<Outcome<Commands[N]['answer']>> {
  try {
    const client = await getClient()
    let answer = await client.rpc(name, args).abortSignal(AbortSignal.timeout(PATIENCE)).retry(false)
    // What a renewal brings tells whether a second factor is to be shown first.
    const half = answer.error?.message === 'second_factor_missing'
    if ((answer.status === 401 || half) && (await renewed())) {
      answer = await client.rpc(name, args).abortSignal(AbortSignal.timeout(PATIENCE)).retry(false)
    }
    if (answer.error) return { ok: false, failure: failureFrom(answer.error, answer.status) }
    if (!isAnswer(name, answer.data)) return { ok: false, failure: failureNamed('network') }
    return done(answer.data as Commands[N]['answer'])
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}

/** What the server answers to a renewal where the session is over. */
const ENDED = new Set([400, 401, 403, 404])

/** After a refusal: whether there is another token now. Ends the session here when it has ended there. */
export async function renewed(): Promise<boolean> {
  const client = await getClient()
  const { data } = await client.auth.getSession()
  if (!data.session) return false
  const { data: fresh, error } = await client.auth.refreshSession()
  if (fresh.session) return true
  // Revoked or signed out elsewhere: nothing here may go on as if signed in.
  if (error?.status !== undefined && ENDED.has(error.status)) {
    await client.auth.signOut({ scope: 'local' })
  }
  return false
}
