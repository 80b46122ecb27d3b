import { i18n } from '@lingui/core'
import { useState } from 'react'
import { LIMITS } from '../../../../wire/limits.ts'
import {
  changeUserGroup,
  changeUserGroupMembers,
  createUserGroup,
} from '../../../data/userGroups/changeUserGroups.ts'
import type { KnownUserGroup } from '../../../data/store/knownUserGroups.ts'
import { useMembers } from '../../../data/people/people.ts'
import { PeoplePicker } from '../../../features/parts/members/PeoplePicker.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { TextField } from '../../../ui/TextField.tsx'

interface Props {
  /** Null: a new one. */
  group: KnownUserGroup | null
  /** Who is in it now. */
  members: readonly string[]
  onClose: () => void
}

/** Creates or changes a group: name, description and members. */
export function UserGroupDialog({ group, members: before, onClose }: Props) {
  const [id] = useState(() => group?.id.slice(1) ?? crypto.randomUUID())
  const [name, setName] = useState(group?.name ?? '')
  const [description, setDescription] = useState(group?.description ?? '')
  const [chosen, setChosen] = useState([...before])
  const people = useMembers()
    .filter((member) => member.state === 'active' || before.includes(member.profile.id))
    .map((member) => member.profile)
  const save = async () => {
    if (!group) return createUserGroup(id, { name, description, people: chosen })
    const add = chosen.filter((one) => !before.includes(one))
    const remove = before.filter((one) => !chosen.includes(one))
    const changed = await changeUserGroup(id, { name, description })
    return changed.ok && add.length + remove.length > 0
      ? changeUserGroupMembers(id, { add, remove })
      : changed
  }
  return (
    <FormDialog
      title={group ? i18n._('Edit @{name}', { name: group.name }) : i18n._('Create a group')}
      action={group ? i18n._('Save') : i18n._('Create group')}
      run={save}
      isDisabled={name.trim().length < 2}
      fields={{
        user_groups_name_form: 'name',
        group_name_taken: 'name',
        user_groups_description_length: 'description',
      }}
      hasChoices={String(chosen) !== String(before)}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={i18n._('Name')}
        hint={i18n._('What people type after @.')}
        value={name}
        maxLength={40}
        autoFocus
        onChange={setName}
      />
      <TextField
        name="description"
        label={i18n._('Description')}
        value={description}
        maxLength={250}
        onChange={setDescription}
      />
      <PeoplePicker people={people} chosen={chosen} max={LIMITS.userGroupMembers} onChange={setChosen} />
    </FormDialog>
  )
}
