import type { Commands } from '../../../wire/commands.ts'
import type { AdministeredPerson, Member, WorkspaceRole, Workspace } from '../../../wire/people.ts'
import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import { success, withoutValue, type Outcome } from '../failures/failures.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { createPagedQuery } from '../queries/pagedQuery.ts'
import { getClientSession } from '../session/clientSession.ts'
import { callForWorkspace, type WorkspaceArgs } from '../workspaces/callForWorkspace.ts'
import { displayedMember } from '../people/displayedMember.ts'
import { workspaceId } from '../workspaces/workspace.ts'
import { storeWorkspace } from '../workspaces/workspaceSettings.ts'

/** Stores a changed member in this tab. Other tabs receive an event. */
function storeMember(outcome: Outcome<Member>): Outcome<Member> {
  const workspace_id = workspaceId()
  if (outcome.ok && workspace_id) {
    const event = { event: 'member' as const, payload: { workspace_id, member: outcome.value } }
    getClientSession()?.store.dispatch({ type: 'userEventReceived', event })
  }
  return outcome
}

/** People of the workspace that match a filter, including former ones. For owners and admins. */
export const peopleList = createPagedQuery({
  idOf: (person: AdministeredPerson) => person.profile.id,
  fetch: async (after: string | null, filter: Omit<WorkspaceArgs<'list_people'>, 'after'>) => {
    const outcome = await callForWorkspace('list_people', { ...filter, after })
    if (!outcome.ok) return outcome
    const { people, after: next, total } = outcome.value
    return success({ items: people.map((person) => displayedMember(person)), next, summary: { total } })
  },
})

/** What owners and admins see of a person. */
export const personDetails = createQuery({
  fetch: async (person: Uuid) => {
    const outcome = await callForWorkspace('person_details', { person })
    return outcome.ok ? success(displayedMember(outcome.value)) : outcome
  },
})

/**
 * Runs a command for each person, one after the other, until one fails. A repeated command does no harm. Then the lists of
 * people are fetched again.
 */
export async function changeEach(
  people: readonly AdministeredPerson[],
  run: (person: AdministeredPerson) => Promise<Outcome<unknown>>,
): Promise<Outcome> {
  let outcome: Outcome = success(undefined)
  for (const person of people) {
    outcome = withoutValue(await run(person))
    if (!outcome.ok) break
  }
  peopleList.invalidate()
  personDetails.invalidate()
  return outcome
}

export async function setMemberRole(person: Uuid, role: WorkspaceRole): Promise<Outcome<Member>> {
  return storeMember(await callForWorkspace('set_member_role', { person, role }))
}

/**
 * Sets the end of a guest's access (null: no end). Of the channels that the user can read, the guest is then in
 * exactly `channels`.
 */
export async function setGuestAccess(
  person: Uuid,
  channels: Uuid[],
  expires_at: Timestamp | null,
): Promise<Outcome<Member>> {
  const outcome = await callForWorkspace('set_guest_access', { person, channels, expires_at })
  return refetchAfter(storeMember(outcome), peopleList, personDetails)
}

export async function deactivateMember(person: Uuid): Promise<Outcome<Member>> {
  return storeMember(await callForWorkspace('deactivate_member', { person }))
}

/** @param expires_at the end of a guest's access; null: none */
export async function reactivateMember(
  person: Uuid,
  expires_at: Timestamp | null = null,
): Promise<Outcome<Member>> {
  return storeMember(await callForWorkspace('reactivate_member', { person, expires_at }))
}

export async function removePerson(person: Uuid): Promise<Outcome<Member>> {
  return storeMember(await callForWorkspace('remove_person', { person }))
}

/** Ends all sessions of a person. */
export async function signOutPerson(person: Uuid): Promise<Outcome<Member>> {
  return storeMember(await callForWorkspace('sign_out_person', { person }))
}

/** Changes the address of an account that nobody has used yet. */
export async function correctAddress(person: Uuid, email: string): Promise<Outcome<AdministeredPerson>> {
  return refetchAfter(await callForWorkspace('correct_address', { person, email }), peopleList, personDetails)
}

/** Ends the tokens, webhooks and commands of bots that the person has created. */
export async function endIntegrations(person: Uuid): Promise<Outcome> {
  return withoutValue(await callForWorkspace('end_integrations', { person }))
}

export async function erasePerson(person: Uuid): Promise<Outcome<Member>> {
  return storeMember(await callForWorkspace('erase_person', { person }))
}

/** Makes the person the owner and the user an admin. */
export async function transferOwnership(person: Uuid): Promise<Outcome<Member>> {
  const outcome = storeMember(await callForWorkspace('transfer_ownership', { person }))
  // The own role is part of the bootstrap.
  if (outcome.ok) getClientSession()?.engine.refresh()
  return outcome
}

/** Ends the user's membership, and their sessions if they are in no other workspace. */
export function leaveWorkspace(): Promise<Outcome<Commands['leave_workspace']['response']>> {
  return callForWorkspace('leave_workspace', {})
}

/** Deletes the workspace after the waiting period. @param name as entered by the owner */
export async function scheduleWorkspaceDeletion(name: string): Promise<Outcome<Workspace>> {
  const outcome = await callForWorkspace('schedule_workspace_deletion', { name })
  if (outcome.ok) storeWorkspace(outcome.value)
  return outcome
}

export async function cancelWorkspaceDeletion(): Promise<Outcome<Workspace>> {
  const outcome = await callForWorkspace('cancel_workspace_deletion', {})
  if (outcome.ok) storeWorkspace(outcome.value)
  return outcome
}
