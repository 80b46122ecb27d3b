import { i18n } from '@lingui/core'
import type { Commands } from '../../../wire/commands.ts'
import type { Admission, JoinableWorkspaces, JoiningSettings } from '../../../wire/joining.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import '../failures/joiningFailures.ts'
import { registerSentences, type Outcome } from '../failures/failures.ts'
import { createWatchedValue } from '../hooks/watchedValue.ts'
import { getClientSession } from '../session/clientSession.ts'
import { openWorkspace } from '../session/startClientSession.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'

registerSentences({
  workspace_domains_form: () => i18n._('Enter a domain such as example.com.'),
  public_mail_domain: () =>
    i18n._('Anyone can get an address from this email provider, so you can’t add it.'),
  too_many_domains: () => i18n._('A workspace can list up to 20 domains.'),
  too_many_default_channels: () => i18n._('Choose up to 20 channels.'),
  join_requests_note_length: () => i18n._('Keep your note to 500 characters.'),
  join_request_closed: () => i18n._('This request was already decided or withdrawn.'),
  join_request_declined: () => i18n._('Your request was declined. You can ask again after 30 days.'),
  join_requests_full: () => i18n._('Too many people are waiting at the moment. Try again later.'),
  too_many_join_requests: () =>
    i18n._('You’ve asked to join 5 workspaces. Withdraw a request before you ask again.'),
})

const settings = createWatchedValue<JoiningSettings>({
  events: ['join_requests'],
  fetch: (workspace) => callCommand('joining_settings', { workspace }),
})

/** Who may join without an invitation, where newcomers start, and who waits; null while it is not known. */
export const useJoiningSettings = settings.useValue
export const useJoiningFailure = settings.useFailure

function store(outcome: Outcome<JoiningSettings>): Outcome<JoiningSettings> {
  const session = getClientSession()
  if (outcome.ok && session) settings.set(session, outcome.value)
  return outcome
}

/** A domain as mail servers write it: lowercase, with punycode for letters beyond ASCII. */
function asciiDomain(text: string): string {
  const domain = text.trim().toLowerCase().replace(/^.*@/, '')
  if (!/^[^/:?#\s]+$/.test(domain)) return domain
  try {
    return new URL(`http://${domain}`).hostname
  } catch {
    return domain
  }
}

/** Lists a mail domain or changes how its people get in; null removes it. */
export async function setJoiningDomain(
  domain: string,
  admission: Admission | null,
): Promise<Outcome<JoiningSettings>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  return store(await callCommand('set_joining_domain', { workspace, domain: asciiDomain(domain), admission }))
}

export async function setJoiningOptions(
  options: Omit<Commands['set_joining_options']['args'], 'workspace'>,
): Promise<Outcome<JoiningSettings>> {
  const workspace = workspaceId()
  return workspace
    ? store(await callCommand('set_joining_options', { workspace, ...options }))
    : noWorkspace()
}

/** Decides a request to join, and fetches the list again: another admin may have decided it. */
export async function decideJoinRequest(
  id: Uuid,
  decision: 'approve' | 'decline',
): Promise<Outcome<{ id: Uuid }>> {
  const command = decision === 'approve' ? 'approve_join_request' : 'decline_join_request'
  const outcome: Outcome<{ id: Uuid }> = await callCommand(command, { id })
  const session = getClientSession()
  if (session && (outcome.ok || !outcome.failure.isRetryable)) await settings.fetchAgain(session)
  return outcome
}

/** What the user can join or request to join by the address of their account. */
export function listJoinableWorkspaces(): Promise<Outcome<JoinableWorkspaces>> {
  return callCommand('list_joinable_workspaces', {})
}

/**
 * Calls `onChange` when a request of the user, who may be in no workspace, may have been decided: after an event, and with
 * each bootstrap, in case the event was lost. Returns a function that ends this.
 */
export function watchOwnRequests(profileId: Uuid, onChange: () => void): () => void {
  const session = getClientSession()
  if (!session) return () => {}
  session.engine.subscribeToUser(profileId)
  return session.store.watch((change) => {
    const isEvent = change.type === 'userEventReceived' && change.event.event === 'join_requests'
    if (isEvent || change.type === 'bootstrapReceived') onChange()
  })
}

/** Joins at once; the session then has the workspace. */
export async function joinWorkspace(
  args: Commands['join_workspace']['args'],
): Promise<Outcome<Commands['join_workspace']['response']>> {
  const outcome = await callCommand('join_workspace', args)
  if (outcome.ok) await openWorkspace(outcome.value.workspace.id)
  return outcome
}

/** Requests to join, or replaces the note of a waiting request. */
export function requestToJoin(
  args: Commands['request_to_join']['args'],
): Promise<Outcome<Commands['request_to_join']['response']>> {
  return callCommand('request_to_join', args)
}

export function withdrawJoinRequest(id: Uuid): Promise<Outcome<{ id: Uuid }>> {
  return callCommand('withdraw_join_request', { id })
}
