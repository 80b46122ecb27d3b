import { i18n } from '@lingui/core'
import { callCommand } from '../client/callCommand.ts'
import { registerSentences, withoutValue, type Outcome } from '../failures/failures.ts'
import '../failures/joiningFailures.ts'
import { createQuery } from '../queries/createQuery.ts'
import { getClientSession } from '../session/clientSession.ts'

registerSentences({
  other_address: () => i18n._('That isn’t the address of your account. Check the spelling.'),
})

/** What the deletion of the user's account concerns, and when it is due. */
export const accountDeletion = createQuery({ fetch: () => callCommand('my_account_deletion', {}) })

/** Requests the deletion of the user's account. All its sessions end. @param address as the user entered it */
export async function requestAccountDeletion(address: string, deletesMessages: boolean): Promise<Outcome> {
  const outcome = await callCommand('request_account_deletion', {
    address,
    deletes_messages: deletesMessages,
  })
  // The refusal shows that the session has ended, and the sign-in page then shows why.
  if (outcome.ok) getClientSession()?.engine.refresh()
  return withoutValue(outcome)
}

/** Keeps the account. */
export async function cancelAccountDeletion(): Promise<Outcome> {
  const outcome = await callCommand('cancel_account_deletion', {})
  if (outcome.ok) {
    accountDeletion.set([], outcome.value)
    // The date is part of the bootstrap.
    getClientSession()?.engine.refresh()
  }
  return withoutValue(outcome)
}
