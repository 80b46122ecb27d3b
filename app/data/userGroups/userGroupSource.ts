import { LIMITS } from '../../../wire/limits.ts'
import type { UserGroup } from '../../../wire/userGroups.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { runQuery } from '../client/runQuery.ts'
import { success } from '../failures/failures.ts'
import type { ListSource } from '../sync/watchVersionedList.ts'

type GroupRow = Pick<UserGroup, 'id' | 'name' | 'description' | 'archived_at'>

/** The groups that the reader may see. A guest's groups depend on the guest's channels. */
export const userGroupSource: ListSource<'userGroups'> = {
  name: 'userGroups',
  versionOf: ({ groups_version: version }, { me, members, channels }) =>
    version === undefined
      ? undefined
      : `${version} ${me?.role === 'guest' ? `${members.size} ${channels.size}` : ''}`,
  fetch: async ({ workspace, me }) => {
    const [groups, own] = await Promise.all([
      runQuery<GroupRow[]>((client) =>
        client
          .from('user_groups')
          .select('id, name, description, archived_at')
          .eq('workspace_id', workspace?.id ?? '')
          .order('name')
          .limit(LIMITS.userGroups),
      ),
      runQuery<{ group_id: Uuid }[]>((client) =>
        client
          .from('user_group_members')
          .select('group_id')
          .eq('profile_id', me?.profile.id ?? '')
          .limit(LIMITS.userGroups),
      ),
    ])
    if (!groups.ok) return groups
    if (!own.ok) return own
    const ownIds = new Set(own.value.map((one) => one.group_id))
    return success(
      groups.value.map(({ id, name, description, archived_at }) => ({
        id: `&${id}`,
        name,
        description,
        isArchived: archived_at !== null,
        hasReader: ownIds.has(id),
      })),
    )
  },
}
