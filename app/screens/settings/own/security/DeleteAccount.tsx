import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Button } from '../../../../ui/Button.tsx'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'

const DeleteAccountDialog = lazyComponent(
  () => import('../../../../features/flows/account/DeleteAccountDialog.tsx'),
)

/** Starts the deletion of the user's account. */
export function DeleteAccount() {
  const [isOpen, setOpen] = useState(false)
  return (
    <SettingsSection
      title={i18n._('Delete account')}
      hint={i18n._(
        'You have one account for all workspaces on this server. To leave only this workspace, choose “Leave workspace”.',
      )}
    >
      <div>
        <Button variant="danger" onClick={() => setOpen(true)}>
          {i18n._('Delete account')}
        </Button>
      </div>
      {isOpen ? <DeleteAccountDialog onClose={() => setOpen(false)} /> : null}
    </SettingsSection>
  )
}
