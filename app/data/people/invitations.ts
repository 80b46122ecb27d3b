import type { Commands } from '../../../wire/commands.ts'
import type { Invitation, InvitationView } from '../../../wire/invitations.ts'
import type { Workspace } from '../../../wire/people.ts'
import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import '../failures/joiningFailures.ts'
import { requestSignInOffer } from '../account/signInOffer.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { openWorkspace } from '../session/startClientSession.ts'
import { callCommand } from '../client/callCommand.ts'
import { refetchAfter } from '../queries/createQuery.ts'
import { createPagedQuery } from '../queries/pagedQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

type Args<N extends keyof Commands> = Commands[N]['args']
type ResponseOf<N extends keyof Commands> = Commands[N]['response']

/** Shows the workspace that the user has joined. */
async function openAfter<T extends { workspace: Workspace }>(outcome: Outcome<T>): Promise<Outcome<T>> {
  if (outcome.ok) await openWorkspace(outcome.value.workspace.id)
  return outcome
}

/** Creates the workspace with the set-up token; the user becomes its owner. */
export async function foundWorkspace(
  args: Args<'found_workspace'>,
): Promise<Outcome<ResponseOf<'found_workspace'>>> {
  requestSignInOffer()
  return openAfter(await callCommand('found_workspace', args))
}

/** Describes an invitation; also for visitors who are not signed in. */
export function viewInvitation(token: string): Promise<Outcome<InvitationView>> {
  return callCommand('view_invitation', { token })
}

export async function acceptInvitation(
  args: Args<'accept_invitation'>,
): Promise<Outcome<ResponseOf<'accept_invitation'>>> {
  requestSignInOffer()
  return openAfter(await callCommand('accept_invitation', args))
}

export interface InvitationInput {
  role: 'admin' | 'member' | 'guest'
  channels: Uuid[]
  /** Hours until it expires, 1–720. */
  hours: number
  /** Of a guest: days from joining until their access ends; null: it does not. */
  accessDays: number | null
  /** Of a guest: when they can first join; null: at once. */
  startsAt: Timestamp | null
}

/** Creates a link that several people can use: `<origin>/join#<token>`. Only this response contains the token. */
export async function createInvitation(
  input: InvitationInput & { maxUses: number },
): Promise<Outcome<{ link: string }>> {
  const { role, channels, hours, accessDays: access_days, startsAt: starts_at, maxUses: max_uses } = input
  const made = refetchAfter(
    await callForWorkspace('create_invitation', { role, channels, hours, access_days, starts_at, max_uses }),
    invitationList,
  )
  return made.ok ? success({ link: `${location.origin}/join#${made.value.token}` }) : made
}

/** Invites up to 100 addresses; the server mails each of them a link for one use. */
export async function inviteByMail(
  emails: string[],
  input: InvitationInput,
): Promise<Outcome<{ invited: number; members: string[] }>> {
  const { role, channels, hours, accessDays: access_days, startsAt: starts_at } = input
  return refetchAfter(
    await callForWorkspace('invite_by_mail', { emails, role, channels, hours, access_days, starts_at }),
    invitationList,
  )
}

/** Mails an invitation again, with a new link. */
export async function resendInvitation(id: Uuid): Promise<Outcome<{ invited: number; members: string[] }>> {
  return refetchAfter(await callCommand('resend_invitation', { id }), invitationList)
}

/** Invitations that can still be used or sent again, newest first. */
export const invitationList = createPagedQuery({
  idOf: (invitation: Invitation) => invitation.id,
  fetch: async (before: string | null) => {
    const outcome = await callForWorkspace('list_invitations', { before })
    return outcome.ok ? success({ items: outcome.value.invitations, next: outcome.value.before }) : outcome
  },
})

/** Revokes an invitation: nobody can use it any more. */
export async function revokeInvitation(id: Uuid): Promise<Outcome> {
  const outcome = await callCommand('revoke_invitation', { id })
  if (!outcome.ok) return outcome
  invitationList.change([], (page) => ({ ...page, items: page.items.filter((one) => one.id !== id) }))
  return success(undefined)
}
