import { i18n } from '@lingui/core'
import { useState } from 'react'
import {
  cancelWorkspaceDeletion,
  scheduleWorkspaceDeletion,
  transferOwnership,
} from '../../../data/administration/administerPeople.ts'
import { useMembers } from '../../../data/people/people.ts'
import { setWebChannels, setWorkspaceOptions } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDate } from '../../../ui/dates.ts'
import { Form } from '../../../ui/Form.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { SettingChoice } from '../SettingChoice.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import { PrivateExport } from './PrivateExport.tsx'
import { Reauthentication } from './Reauthentication.tsx'
import { SecondFactorRequirement } from './SecondFactorRequirement.tsx'

/** Who may do what in the workspace, its ownership and its deletion. */
export default function PermissionsPane() {
  const { role } = useMe()
  return (
    <PaneFrame>
      <Options />
      {role === 'owner' ? (
        <>
          <SecondFactorRequirement />
          <Reauthentication />
          <PrivateExport />
          <Ownership />
          <Deletion />
        </>
      ) : null}
    </PaneFrame>
  )
}

function Options() {
  const { workspace } = useMe()
  const admins = i18n._('Owners and admins')
  return (
    <SettingsSection title={i18n._('Permissions')}>
      <SettingChoice
        label={i18n._('Who can create channels?')}
        saved={workspace.channels_by ?? 'members'}
        options={[
          { value: 'members', label: i18n._('All members') },
          { value: 'admins', label: admins },
        ]}
        save={(channels_by) => setWorkspaceOptions({ channels_by })}
      />
      <SettingChoice
        label={i18n._('Who can invite people?')}
        saved={workspace.invitations_by ?? 'admins'}
        options={[
          { value: 'members', label: i18n._('All members') },
          { value: 'admins', label: admins },
        ]}
        save={(invitations_by) => setWorkspaceOptions({ invitations_by })}
      />
      <SettingChoice
        label={i18n._('Who can notify everyone with @channel and @here?')}
        saved={workspace.mention_everyone_by ?? 'everyone'}
        options={[
          { value: 'everyone', label: i18n._('Everyone') },
          { value: 'members', label: i18n._('Members, not guests') },
          { value: 'admins', label: i18n._('Admins') },
        ]}
        save={(mention_everyone_by) => setWorkspaceOptions({ mention_everyone_by })}
      />
      <SettingChoice
        label={i18n._('Who can delete messages of others?')}
        saved={workspace.deletions_by ?? 'channel_admins'}
        options={[
          { value: 'channel_admins', label: i18n._('Owners, admins and channel managers') },
          { value: 'admins', label: admins },
          { value: 'authors', label: i18n._('Nobody') },
        ]}
        save={(deletions_by) => setWorkspaceOptions({ deletions_by })}
      />
      <SettingChoice
        label={i18n._('Who can see earlier versions of edited messages?')}
        saved={workspace.edit_history_by ?? 'authors'}
        options={[
          { value: 'authors', label: i18n._('Their authors only') },
          { value: 'admins', label: i18n._('Authors, owners and admins') },
          { value: 'members', label: i18n._('All members') },
        ]}
        save={(edit_history_by) => setWorkspaceOptions({ edit_history_by })}
      />
      <SettingChoice
        label={i18n._('Who can put public channels on the web?')}
        saved={workspace.web_channels_by ?? 'admins'}
        options={[
          { value: 'admins', label: admins },
          { value: 'channel_admins', label: i18n._('Owners, admins and channel managers') },
        ]}
        save={setWebChannels}
      />
    </SettingsSection>
  )
}

function Ownership() {
  const { profile } = useMe()
  const [person, setPerson] = useState('')
  const [isConfirming, setConfirming] = useState(false)
  const candidates = useMembers().filter(
    (one) =>
      one.state === 'active' &&
      one.role !== 'guest' &&
      one.profile.kind === 'person' &&
      one.profile.id !== profile.id,
  )
  const chosen = candidates.find((one) => one.profile.id === person)
  return (
    <SettingsSection
      title={i18n._('Ownership')}
      hint={i18n._('The new owner can do everything. You become an admin, and can leave the workspace.')}
    >
      <SelectField
        label={i18n._('New owner')}
        value={person}
        options={[
          { value: '', label: i18n._('Choose a person') },
          ...candidates.map((one) => ({ value: one.profile.id, label: one.profile.name })),
        ]}
        onChange={setPerson}
      />
      <div>
        <Button disabled={!chosen} onClick={() => setConfirming(true)}>
          {i18n._('Transfer ownership')}
        </Button>
      </div>
      {isConfirming && chosen ? (
        <ConfirmDialog
          title={i18n._('Transfer ownership?')}
          text={i18n._('{name} becomes the owner. Only they can give the role back to you.', {
            name: chosen.profile.name,
          })}
          action={i18n._('Transfer ownership')}
          doneText={i18n._('Ownership transferred.')}
          run={() => transferOwnership(person)}
          onClose={() => setConfirming(false)}
        />
      ) : null}
    </SettingsSection>
  )
}

function Deletion() {
  const { workspace } = useMe()
  const [name, setName] = useState('')
  const action = useAction()
  if (workspace.deletes_at) {
    return (
      <SettingsSection title={i18n._('Delete workspace')}>
        <p>
          {i18n._('The workspace and everything in it will be deleted on {date}.', {
            date: formatDate(workspace.deletes_at),
          })}
        </p>
        <div>
          <Button busy={action.busy} onClick={() => void action.run(cancelWorkspaceDeletion)}>
            {i18n._('Keep workspace')}
          </Button>
        </div>
        {action.failure ? <p role="alert">{action.failure}</p> : null}
      </SettingsSection>
    )
  }
  return (
    <SettingsSection
      title={i18n._('Delete workspace')}
      hint={i18n._(
        'All channels, messages and files are deleted after 14 days. Until then, an owner can cancel.',
      )}
    >
      <Form
        action={i18n._('Delete workspace')}
        isDestructive
        isDisabled={!name.trim()}
        run={() => scheduleWorkspaceDeletion(name)}
        onDone={() => setName('')}
      >
        <TextField
          label={i18n._('Name of the workspace')}
          hint={workspace.name}
          value={name}
          onChange={setName}
        />
      </Form>
    </SettingsSection>
  )
}
