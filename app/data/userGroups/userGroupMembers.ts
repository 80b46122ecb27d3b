import { LIMITS } from '../../../wire/limits.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { runQuery } from '../client/runQuery.ts'
import { success } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'

/** The members of a group whom the reader may see. The argument is the id of the group. */
export const userGroupMembers = createQuery({
  fetch: async (group: Uuid) => {
    const outcome = await runQuery<{ profile_id: Uuid }[]>((client) =>
      client
        .from('user_group_members')
        .select('profile_id')
        .eq('group_id', group)
        .limit(LIMITS.userGroupMembers),
    )
    return outcome.ok ? success(outcome.value.map((one) => one.profile_id)) : outcome
  },
})

/** The ids of the groups that a person is in. */
export const userGroupsOf = createQuery({
  fetch: async (person: Uuid) => {
    const outcome = await runQuery<{ group_id: Uuid }[]>((client) =>
      client.from('user_group_members').select('group_id').eq('profile_id', person).limit(LIMITS.userGroups),
    )
    return outcome.ok ? success(outcome.value.map((one) => one.group_id)) : outcome
  },
})
