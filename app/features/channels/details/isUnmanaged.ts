import type { Member, Uuid } from '../../../../wire/linnet.ts'
import type { ChannelPerson } from '../useChannelPeople.ts'

/**
 * Whether nobody who could manage the channel belongs to it any more, as `app.unmanaged` in the database says:
 * then anyone in it but a guest may appoint.
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
