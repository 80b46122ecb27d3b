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
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useAction } from '../../../data/hooks/useAction.ts'

interface Props {
  /** Null: a new one. */
  group: KnownUserGroup | null
  /** Who is in it now. */
  members: readonly string[]
  onClose: () => void
}

/** Creates or changes a group: name, description and members. */
export function UserGroupDialog({ group, members: before, onClose }: Props) {
  const action = useAction()
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
  const submit = async () => {
    if (await action.run(save)) onClose()
  }
  return (
    <Dialog
      title={group ? i18n._('Edit @{name}', { name: group.name }) : i18n._('Create a group')}
      onClose={onClose}
    >
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={action.failure}>
          <TextField
            label={i18n._('Name')}
            hint={i18n._('What people type after @.')}
            value={name}
            maxLength={40}
            autoFocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextField
            label={i18n._('Description')}
            value={description}
            maxLength={250}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <PeoplePicker people={people} chosen={chosen} max={LIMITS.userGroupMembers} onChange={setChosen} />
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" variant="primary" busy={action.busy} disabled={name.trim().length < 2}>
              {group ? i18n._('Save') : i18n._('Create group')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
