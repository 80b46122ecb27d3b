import { i18n } from '@lingui/core'
import { userGroupMembers } from '../../../data/userGroups/userGroupMembers.ts'
import type { KnownUserGroup } from '../../../data/store/knownUserGroups.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useMember } from '../../../data/people/people.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { Avatar } from '../../../features/parts/members/avatar/Avatar.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { UserGroupDialog } from './UserGroupDialog.tsx'
import listStyles from '../SettingsList.module.css'
import styles from './UserGroupsPane.module.css'

interface Props {
  group: KnownUserGroup
  mayManage: boolean
  onClose: () => void
}

/** The members of a group, for those who may with its name and description as fields. */
export function UserGroupMembers({ group, mayManage, onClose }: Props) {
  const { id, name } = group
  const members = useQuery(userGroupMembers, [id.slice(1)])
  if (members.value && mayManage)
    return <UserGroupDialog group={group} members={members.value} onClose={onClose} />
  return (
    <Dialog title={`@${name}`} onClose={onClose}>
      <div className={layout.body}>
        <QueryContent query={members} loading={i18n._('Members of {name}', { name })}>
          {(people) =>
            people.length > 0 ? (
              <ul className={listStyles.list} aria-label={i18n._('Members of {name}', { name })}>
                {people.map((person) => (
                  <GroupMember key={person} id={person} />
                ))}
              </ul>
            ) : (
              <p>{i18n._('Nobody is in this group yet.')}</p>
            )
          }
        </QueryContent>
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
