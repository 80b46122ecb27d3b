import type { Member } from '../../../../wire/people.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import type { ChannelPerson } from '../useChannelPeople.ts'

/**
 * Whether nobody who can manage the channel is a member of it any longer, like `app.is_unmanaged` in the database. Any
 * member but a guest may then appoint a manager.
 */
export function isUnmanaged(
  people: readonly ChannelPerson[],
  members: ReadonlyMap<Uuid, Pick<Member, 'role'>>,
): boolean {
  return !people.some(({ profile_id, role }) => {
    const workspaceRole = members.get(profile_id)?.role
    return (
      workspaceRole !== undefined &&
      workspaceRole !== 'guest' &&
      (role === 'admin' || workspaceRole !== 'member')
    )
  })
}
