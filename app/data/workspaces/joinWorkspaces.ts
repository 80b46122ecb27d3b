import { i18n } from '@lingui/core'
import type { Commands } from '../../../wire/commands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { requestSignInOffer } from '../account/signInOffer.ts'
import { callCommand } from '../client/callCommand.ts'
import '../failures/joiningFailures.ts'
import { registerSentences, type Outcome } from '../failures/failures.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { getClientSession } from '../session/clientSession.ts'
import { openWorkspace } from '../session/startClientSession.ts'

registerSentences({
  join_requests_note_length: () => i18n._('A note can be up to 500 characters.'),
  join_request_declined: () => i18n._('Your request was declined. You can ask again after 30 days.'),
  join_requests_full: () => i18n._('Too many people are waiting at the moment. Try again later.'),
  too_many_join_requests: () =>
    i18n._('You’ve asked to join 5 workspaces. Withdraw a request before you ask again.'),
})

/** What the user can join or request to join by the address of their account. */
export const joinableWorkspaces = createQuery({ fetch: () => callCommand('list_joinable_workspaces', {}) })

/**
 * Fetches the workspaces again when a request of the user, who may be in no workspace, may have been decided: after an
 * event, and with each bootstrap, in case the event was lost. Returns a function that ends this.
 */
export function watchOwnRequests(profileId: Uuid): () => void {
  const session = getClientSession()
  if (!session) return () => {}
  session.engine.subscribeToUser(profileId)
  return session.store.watch((change) => {
    const isEvent = change.type === 'userEventReceived' && change.event.event === 'join_requests'
    if (isEvent || change.type === 'bootstrapReceived') joinableWorkspaces.invalidate()
  })
}

/** Joins at once; the session then has the workspace. */
export async function joinWorkspace(
  args: Commands['join_workspace']['args'],
): Promise<Outcome<Commands['join_workspace']['response']>> {
  requestSignInOffer()
  const outcome = await callCommand('join_workspace', args)
  if (outcome.ok) await openWorkspace(outcome.value.workspace.id)
  return outcome
}

/** Requests to join, or replaces the note of a waiting request. */
export async function requestToJoin(
  args: Commands['request_to_join']['args'],
): Promise<Outcome<Commands['request_to_join']['response']>> {
  // An admin may approve the request while this page is closed.
  requestSignInOffer()
  return refetchAfter(await callCommand('request_to_join', args), joinableWorkspaces)
}

export async function withdrawJoinRequest(id: Uuid): Promise<Outcome<{ id: Uuid }>> {
  return refetchAfter(await callCommand('withdraw_join_request', { id }), joinableWorkspaces)
}
