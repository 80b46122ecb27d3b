import { i18n } from '@lingui/core'
import { useState } from 'react'
import { changeUserGroup } from '../../../data/userGroups/changeUserGroups.ts'
import { canManageUserGroups, isOwnerOrAdmin } from '../../../data/workspaces/workspacePermissions.ts'
import { useAreUserGroupsLoaded, useUserGroups } from '../../../data/userGroups/useUserGroups.ts'
import type { KnownUserGroup } from '../../../data/store/knownUserGroups.ts'
import { setWorkspaceOptions } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { useToast } from '../../../ui/toast.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import { SettingChoice } from '../SettingChoice.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import listStyles from '../SettingsList.module.css'
import { UserGroupDialog } from './UserGroupDialog.tsx'
import { UserGroupMembers } from './UserGroupMembers.tsx'

/** The groups of the workspace: who is in them, and for those who may, creating, changing and archiving them. */
export default function UserGroupsPane() {
  const { role, workspace } = useMe()
  const groups = useUserGroups()
  const areLoaded = useAreUserGroupsLoaded()
  const [isCreating, setCreating] = useState(false)
  const mayManage = canManageUserGroups({ workspace, role })
  const sections = [
    { title: i18n._('All groups'), groups: groups.filter((group) => !group.isArchived) },
    { title: i18n._('Archived'), groups: groups.filter((group) => group.isArchived) },
  ]
  return (
    <PaneFrame
      hint={i18n._('Mentioning a group notifies its members who are in the conversation.')}
      action={
        mayManage ? (
          <Button variant="primary" onClick={() => setCreating(true)}>
            {i18n._('Create a group')}
          </Button>
        ) : null
      }
    >
      {sections.map(({ title, groups: shown }, index) =>
        shown.length || (index === 0 && areLoaded) ? (
          <SettingsSection key={title} title={title}>
            {shown.length ? (
              <ul className={listStyles.list}>
                {shown.map((group) => (
                  <UserGroupRow key={group.id} group={group} mayManage={mayManage} />
                ))}
              </ul>
            ) : (
              <p className="muted">{i18n._('No groups yet.')}</p>
            )}
          </SettingsSection>
        ) : null,
      )}
      {isOwnerOrAdmin({ role }) ? <WhoMayManage /> : null}
      {isCreating ? <UserGroupDialog group={null} members={[]} onClose={() => setCreating(false)} /> : null}
    </PaneFrame>
  )
}

function UserGroupRow({ group, mayManage }: { group: KnownUserGroup; mayManage: boolean }) {
  const showToast = useToast()
  const [isOpen, setOpen] = useState(false)
  const { name, description, isArchived, hasReader } = group
  const setArchived = async (is_archived: boolean) => {
    const outcome = await changeUserGroup(group.id.slice(1), { is_archived })
    showToast({
      text: !outcome.ok
        ? outcome.failure.message
        : is_archived
          ? i18n._('Group archived. It can no longer be mentioned.')
          : i18n._('Group unarchived. It can be mentioned again.'),
    })
  }
  return (
    <li className={listStyles.row}>
      <div className={listStyles.details}>
        <p className={listStyles.name}>
          <bdi>@{name}</bdi>
        </p>
        <p className="note">
          {[hasReader ? i18n._('You’re in this group') : null, description].filter(Boolean).join(' · ')}
        </p>
      </div>
      <Button
        aria-label={mayManage ? i18n._('Edit {name}', { name }) : i18n._('Members of {name}', { name })}
        onClick={() => setOpen(true)}
      >
        {mayManage ? i18n._('Edit') : i18n._('Members')}
      </Button>
      {mayManage ? (
        <Button
          variant="quiet"
          aria-label={isArchived ? i18n._('Unarchive {name}', { name }) : i18n._('Archive {name}', { name })}
          onClick={() => void setArchived(!isArchived)}
        >
          {isArchived ? i18n._('Unarchive') : i18n._('Archive')}
        </Button>
      ) : null}
      {isOpen ? (
        <UserGroupMembers group={group} mayManage={mayManage} onClose={() => setOpen(false)} />
      ) : null}
    </li>
  )
}

function WhoMayManage() {
  const { workspace } = useMe()
  return (
    <SettingsSection title={i18n._('Who can manage groups')}>
      <SettingChoice
        label={i18n._('Who can manage groups')}
        hideLabel
        saved={workspace.groups_by ?? 'admins'}
        options={[
          { value: 'admins', label: i18n._('Owners and admins') },
          { value: 'members', label: i18n._('All members except guests') },
        ]}
        save={(groups_by) => setWorkspaceOptions({ groups_by })}
      />
    </SettingsSection>
  )
}
