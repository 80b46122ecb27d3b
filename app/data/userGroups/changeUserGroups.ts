import type { UserGroup } from '../../../wire/userGroups.ts'
import type { Workspace } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'
import { storeWorkspace } from '../workspaces/workspaceSettings.ts'
import './userGroupFailures.ts'

/** People whom one request adds or removes, at most. */
const MAX_PEOPLE = 90

/** `id` identifies the group, so that a repeated attempt creates one. */
export async function createUserGroup(
  id: Uuid,
  group: { name: string; description: string; people: readonly Uuid[] },
): Promise<Outcome<UserGroup>> {
  const { name, description, people } = group
  const first = people.slice(0, MAX_PEOPLE)
  const created = stored(await callForWorkspace('create_group', { id, name, description, people: first }))
  return created.ok && people.length > MAX_PEOPLE
    ? changeUserGroupMembers(id, { add: people.slice(MAX_PEOPLE), remove: [] })
    : created
}

export async function changeUserGroup(
  id: Uuid,
  change: { name?: string; description?: string; is_archived?: boolean },
): Promise<Outcome<UserGroup>> {
  return stored(await callCommand('change_group', { id, ...change }))
}

/** In as many requests as it takes. */
export async function changeUserGroupMembers(
  id: Uuid,
  { add, remove }: { add: readonly Uuid[]; remove: readonly Uuid[] },
): Promise<Outcome<UserGroup>> {
  const outcome = stored(
    await callCommand('change_group_members', {
      id,
      add: add.slice(0, MAX_PEOPLE),
      remove: remove.slice(0, MAX_PEOPLE),
    }),
  )
  return outcome.ok && Math.max(add.length, remove.length) > MAX_PEOPLE
    ? changeUserGroupMembers(id, { add: add.slice(MAX_PEOPLE), remove: remove.slice(MAX_PEOPLE) })
    : outcome
}

function stored(outcome: Outcome<{ group: UserGroup; workspace: Workspace }>): Outcome<UserGroup> {
  if (!outcome.ok) return outcome
  storeWorkspace(outcome.value.workspace)
  return success(outcome.value.group)
}
