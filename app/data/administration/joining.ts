import { i18n } from '@lingui/core'
import type { Commands } from '../../../wire/commands.ts'
import { toAsciiDomain } from '../../../wire/emailAddress.ts'
import type { Admission, JoiningSettings } from '../../../wire/joining.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import '../failures/joiningFailures.ts'
import { registerSentences, type Outcome } from '../failures/failures.ts'
import { createWatchedValue } from '../hooks/watchedValue.ts'
import { getClientSession } from '../session/clientSession.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'

registerSentences({
  workspace_domains_form: () => i18n._('Enter a domain such as example.com.'),
  public_mail_domain: () =>
    i18n._('Anyone can get an address from this email provider, so you can’t add it.'),
  too_many_domains: () => i18n._('A workspace can list up to 20 domains.'),
  too_many_default_channels: () => i18n._('Choose up to 20 channels.'),
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

/** A domain as it is stored. An invalid domain stays as it was entered, so that the server refuses it. */
function storedDomain(text: string): string {
  const domain = text.trim().replace(/^.*@/, '')
  return toAsciiDomain(domain) ?? domain
}

/** Lists a mail domain or changes how its people get in; null removes it. */
export async function setJoiningDomain(
  domain: string,
  admission: Admission | null,
): Promise<Outcome<JoiningSettings>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  return store(
    await callCommand('set_joining_domain', { workspace, domain: storedDomain(domain), admission }),
  )
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
