import type { Message } from '../../../wire/messages.ts'
import { success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'

/** Displays the message that a command responds with, before its broadcast arrives. */
export async function applyMessage(response: Promise<Outcome<{ message: Message }>>): Promise<Outcome> {
  const outcome = await response
  if (!outcome.ok) return outcome
  getClientSession()?.store.dispatch({ type: 'messageReceived', message: outcome.value.message })
  return success(undefined)
}
