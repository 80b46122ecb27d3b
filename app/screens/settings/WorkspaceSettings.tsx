import { i18n } from '@lingui/core'
import { Link } from 'wouter'
import { LIMITS } from '../../../wire/limits.ts'
import { renameWorkspace } from '../../data/people/workspaceSettings.ts'
import { useMe } from '../../features/members/MeContext.ts'
import { Button } from '../../ui/Button.tsx'
import { LinkPreviewSettings } from './LinkPreviewSettings.tsx'
import { NameForm } from './NameForm.tsx'
import { ReadReceipts } from './ReadReceipts.tsx'
import { SettingsSection } from './SettingsSection.tsx'
import { StorageSettings } from './StorageSettings.tsx'

/** Workspace settings for owners and admins; nothing for others. */
export function WorkspaceSettings() {
  const { role, workspace } = useMe()
  if (role !== 'owner' && role !== 'admin') return null
  return (
    <>
      <SettingsSection title={i18n._('Workspace')}>
        <NameForm
          key={workspace.name}
          label={i18n._('Workspace name')}
          hint={i18n._('Everyone in the workspace sees the new name right away.')}
          name={workspace.name}
          maxLength={LIMITS.workspaceNameCharacters}
          autoComplete="organization"
          save={renameWorkspace}
        />
        <div>
          <Link href="/settings/bots" asChild>
            <Button>{i18n._('Bots and webhooks')}</Button>
          </Link>
        </div>
      </SettingsSection>
      <LinkPreviewSettings />
      <ReadReceipts />
      <StorageSettings />
    </>
  )
}
