import { i18n } from '@lingui/core'
import { useState } from 'react'
import { LIMITS } from '../../../../wire/limits.ts'
import { createWorkspace } from '../../../data/workspaces/createWorkspace.ts'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { TextField } from '../../../ui/TextField.tsx'

/** The dialog that creates a further workspace and then shows it. */
export default function CreateWorkspace({ onClose }: { onClose: () => void }) {
  // The id is fixed, so that a retry after a lost response creates the same workspace.
  const [id] = useState(() => crypto.randomUUID())
  const [name, setName] = useState('')
  const trimmed = name.trim()
  return (
    <FormDialog
      title={i18n._('Create a workspace')}
      action={i18n._('Create workspace')}
      run={() => createWorkspace({ id, name: trimmed, channel_name: i18n._('general') })}
      isDisabled={!trimmed}
      onClose={onClose}
    >
      <p className="note">
        {i18n._('It has its own people, channels and messages. Nobody is in it until you invite them.')}
      </p>
      <TextField
        label={i18n._('Workspace name')}
        value={name}
        maxLength={LIMITS.workspaceNameCharacters}
        required
        onChange={setName}
      />
    </FormDialog>
  )
}
