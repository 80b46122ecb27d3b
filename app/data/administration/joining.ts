import { i18n } from '@lingui/core'
import { toAsciiDomain } from '../../../wire/emailAddress.ts'
import type { Admission, JoiningSettings } from '../../../wire/joining.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import '../failures/joiningFailures.ts'
import { registerSentences, type Outcome } from '../failures/failures.ts'
import { createQuery, setAfter } from '../queries/createQuery.ts'
import { callForWorkspace, type WorkspaceArgs } from '../workspaces/callForWorkspace.ts'

registerSentences({
  workspace_domains_form: () => i18n._('Enter a domain such as example.com.'),
  public_mail_domain: () =>
    i18n._('Anyone can get an address from this email provider, so you can’t add it.'),
  too_many_domains: () => i18n._('A workspace can list up to 20 domains.'),
  too_many_default_channels: () => i18n._('Choose up to 20 channels.'),
})

/** Who may join without an invitation, where newcomers start, and who waits. */
export const joiningSettings = createQuery({
  events: ['join_requests'],
  maxStored: 1,
  fetch: () => callForWorkspace('joining_settings', {}),
})

/** A domain as it is stored. An invalid domain stays as it was entered, so that the server refuses it. */
function storedDomain(text: string): string {
  const domain = text.trim().replace(/^.*@/, '')
  return toAsciiDomain(domain) ?? domain
}

/** Lists a mail domain or changes how its people get in; null removes it. */
export function setJoiningDomain(
  domain: string,
  admission: Admission | null,
): Promise<Outcome<JoiningSettings>> {
  const args = { domain: storedDomain(domain), admission }
  return setAfter(joiningSettings, [], callForWorkspace('set_joining_domain', args))
}

export function setJoiningOptions(
  options: WorkspaceArgs<'set_joining_options'>,
): Promise<Outcome<JoiningSettings>> {
  return setAfter(joiningSettings, [], callForWorkspace('set_joining_options', options))
}

/** Decides a request to join, and fetches the list again: another admin may have decided it. */
export async function decideJoinRequest(
  id: Uuid,
  decision: 'approve' | 'decline',
): Promise<Outcome<{ id: Uuid }>> {
  const command = decision === 'approve' ? 'approve_join_request' : 'decline_join_request'
  const outcome: Outcome<{ id: Uuid }> = await callCommand(command, { id })
  if (outcome.ok)
    joiningSettings.change([], (settings) => ({
      ...settings,
      requests: settings.requests.filter((request) => request.id !== id),
    }))
  if (outcome.ok || !outcome.failure.isRetryable) joiningSettings.invalidate()
  return outcome
}
