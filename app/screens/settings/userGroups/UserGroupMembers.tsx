import { i18n } from '@lingui/core'
import { useCallback } from 'react'
import { fetchUserGroupMembers } from '../../../data/userGroups/userGroups.ts'
import type { KnownUserGroup } from '../../../data/store/knownUserGroups.ts'
import { useMember } from '../../../data/people/people.ts'
import { Avatar } from '../../../features/members/avatar/Avatar.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { useAsync } from '../../../ui/useAsync.ts'
import { UserGroupDialog } from './UserGroupDialog.tsx'
import styles from './UserGroupsPane.module.css'

interface Props {
  group: KnownUserGroup
  mayManage: boolean
  onClose: () => void
}

/** The members of a group, for those who may with its name and description as fields. */
export function UserGroupMembers({ group, mayManage, onClose }: Props) {
  const { id, name } = group
  const members = useAsync(useCallback(() => fetchUserGroupMembers(id.slice(1)), [id]))
  if (members?.ok && mayManage)
    return <UserGroupDialog group={group} members={members.value} onClose={onClose} />
  return (
    <Dialog title={`@${name}`} onClose={onClose}>
      <div className={layout.body}>
        {members?.ok ? (
          <ul className={styles.list} aria-label={i18n._('Members of {name}', { name })}>
            {members.value.map((person) => (
              <GroupMember key={person} id={person} />
            ))}
          </ul>
        ) : null}
        {members?.ok && members.value.length === 0 ? <p>{i18n._('Nobody is in this group yet.')}</p> : null}
        {members && !members.ok ? <p role="alert">{members.failure.message}</p> : null}
      </div>
    </Dialog>
  )
}

function GroupMember({ id }: { id: string }) {
  const name = useMember(id)?.profile.name ?? i18n._('Former member')
  return (
    <li className={styles.person}>
      <Avatar id={id} name={name} size={24} />
      <bdi>{name}</bdi>
    </li>
  )
}
