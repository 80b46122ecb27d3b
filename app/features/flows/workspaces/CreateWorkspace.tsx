import { i18n } from '@lingui/core'
import { useState } from 'react'
import { LIMITS } from '../../../../wire/limits.ts'
import { createWorkspace } from '../../../data/workspaces/createWorkspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { TextField } from '../../../ui/TextField.tsx'

/** The dialog that creates a further workspace and then shows it. */
export default function CreateWorkspace({ onClose }: { onClose: () => void }) {
  // The id is fixed, so that a retry after a lost response creates the same workspace.
  const [id] = useState(() => crypto.randomUUID())
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const trimmed = name.trim()
  const create = async () => {
    if (!trimmed || busy) return
    setBusy(true)
    const outcome = await createWorkspace({ id, name: trimmed, channel_name: i18n._('general') })
    if (outcome.ok) return onClose()
    setBusy(false)
    setFailure(outcome.failure.message)
  }
  return (
    <Dialog title={i18n._('Create a workspace')} onClose={onClose}>
      <div className={layout.body}>
        <p className={layout.small}>
          {i18n._('It has its own people, channels and messages. Nobody is in it until you invite them.')}
        </p>
        <Form onSubmit={() => void create()} failure={failure}>
          <TextField
            label={i18n._('Workspace name')}
            value={name}
            maxLength={LIMITS.workspaceNameCharacters}
            autoComplete="off"
            required
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" variant="primary" busy={busy} disabled={!trimmed}>
              {i18n._('Create workspace')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
