import type { Commands } from '../../../wire/commands.ts'
import type { InvitationList, InvitationView } from '../../../wire/invitations.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import '../failures/entryFailures.ts'
import { success, failureFrom } from '../failures/failures.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'
import { getSessionlessClient } from '../client/getClient.ts'
import { callCommand } from '../client/callCommand.ts'
import { noWorkspace, workspaceId } from './workspace.ts'

type Args<N extends keyof Commands> = Commands[N]['args']
type Answer<N extends keyof Commands> = Commands[N]['response']

/** Fetches the bootstrap after the user has joined a workspace: then the session is ready. */
function refreshAfter<T>(outcome: Outcome<T>): Outcome<T> {
  if (outcome.ok) getClientSession()?.engine.refresh()
  return outcome
}

/** Creates the workspace with the set-up token; the user becomes its owner. */
export async function foundWorkspace(
  args: Args<'found_workspace'>,
): Promise<Outcome<Answer<'found_workspace'>>> {
  return refreshAfter(await callCommand('found_workspace', args))
}

/** Describes an invitation; also for visitors who are not signed in. */
export function viewInvitation(token: string): Promise<Outcome<InvitationView>> {
  return callCommand('view_invitation', { token })
}

export async function acceptInvitation(
  args: Args<'accept_invitation'>,
): Promise<Outcome<Answer<'accept_invitation'>>> {
  return refreshAfter(await callCommand('accept_invitation', args))
}

export interface InvitationInput {
  role: 'admin' | 'member' | 'guest'
  channels: Uuid[]
  maxUses?: number
  /** Hours until it expires, 1–720. */
  hours?: number
}

async function invite(input: InvitationInput, email: string | null) {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  return callCommand('create_invitation', {
    workspace,
    role: input.role,
    channels: input.channels,
    ...(email === null ? {} : { email }),
    ...(input.maxUses === undefined ? {} : { max_uses: input.maxUses }),
    ...(input.hours === undefined ? {} : { hours: input.hours }),
  })
}

/** Creates a link that several people can use: `<origin>/join#<token>`. Only this response contains the token. */
export async function createInvitation(input: InvitationInput): Promise<Outcome<{ id: Uuid; link: string }>> {
  const made = await invite(input, null)
  if (!made.ok) return made
  return success({ id: made.value.id, link: `${location.origin}/join#${made.value.token}` })
}

/**
 * An invitation for one address, mailed by the backend with a sign-in link. It exists also if the mail could not be
 * sent: then `failure` is the reason, and `link` works too.
 */
export async function inviteByEmail(
  email: string,
  input: InvitationInput,
): Promise<Outcome<{ link: string; failure: Failure | null }>> {
  const address = email.trim().toLowerCase()
  const made = await invite({ ...input, maxUses: 1 }, address)
  if (!made.ok) return made
  const { token } = made.value
  const sent = await mailInvitation(address, token)
  return success({ link: `${location.origin}/join#${token}`, failure: sent.ok ? null : sent.failure })
}

async function mailInvitation(email: string, token: string): Promise<Outcome> {
  // The sign-up hook accepts exactly the names that the database has for this invitation.
  const shown = await viewInvitation(token)
  if (!shown.ok) return shown
  const { invited_by, workspace_name } = shown.value
  try {
    const client = await getSessionlessClient()
    const redirect = new URL('/join', location.origin)
    redirect.searchParams.set('invitation', token)
    const { error } = await client.auth.signInWithOtp({
      email,
      // The data become metadata of the account, which every access token carries: names for the mail, no secret.
      options: { emailRedirectTo: redirect.href, data: { invited_by, workspace_name } },
    })
    return error ? { ok: false, failure: failureFrom(error) } : success(undefined)
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}

/** Invitations that can still be used, newest first; `before` from the last page gets older ones. */
export async function listInvitations(before: string | null): Promise<Outcome<InvitationList>> {
  const workspace = workspaceId()
  return workspace ? callCommand('list_invitations', { workspace, before }) : noWorkspace()
}

/** Revokes an invitation: nobody can use it any more. */
export async function revokeInvitation(id: Uuid): Promise<Outcome> {
  const outcome = await callCommand('revoke_invitation', { id })
  return outcome.ok ? success(undefined) : outcome
}
