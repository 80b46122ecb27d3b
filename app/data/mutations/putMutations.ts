import { createFailure, success, type Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { MutationInput } from './mutation.ts'
// Loaded with the commands that change own rows: the connection may be lost when the outbox needs it.
import './saveOwnRow.ts'

/** Stores changes of own rows in the outbox, which displays them at once and sends them in order. */
export async function putMutations(inputs: readonly MutationInput[]): Promise<Outcome> {
  const session = getClientSession()
  if (!session) return { ok: false, failure: createFailure('session_ended') }
  await Promise.all(inputs.map((input) => session.outbox.put(input)))
  return success(undefined)
}
