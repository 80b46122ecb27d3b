import { i18n } from '@lingui/core'
import { LIMITS } from '../../../../wire/limits.ts'
import {
  changeWorkspaceIcon,
  removeWorkspaceIcon,
  renameWorkspace,
} from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { PictureSetting } from '../../../features/flows/people/picture/PictureSetting.tsx'
import { WorkspaceIcon } from '../../../features/flows/workspaces/WorkspaceIcon.tsx'
import { NameForm } from '../NameForm.tsx'
import { PaneFrame } from '../PaneFrame.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import { LinkPreviewSettings } from './LinkPreviewSettings.tsx'
import { ReadReceipts } from './ReadReceipts.tsx'
import { WorkspaceLanguage } from './WorkspaceLanguage.tsx'

/** Icon, name and language of the workspace, link previews and read receipts. */
export default function GeneralPane() {
  const { workspace } = useMe()
  return (
    <PaneFrame>
      <SettingsSection title={i18n._('Workspace')}>
        <PictureSetting
          labels={{
            field: i18n._('Icon'),
            upload: i18n._('Upload icon'),
            change: i18n._('Change icon'),
            remove: i18n._('Remove icon'),
          }}
          hasPicture={workspace.icon !== undefined}
          save={changeWorkspaceIcon}
          remove={removeWorkspaceIcon}
        >
          <WorkspaceIcon workspace={workspace} size={56} />
        </PictureSetting>
        <NameForm
          key={workspace.name}
          label={i18n._('Workspace name')}
          hint={i18n._('Everyone in the workspace sees the new name right away.')}
          name={workspace.name}
          maxLength={LIMITS.workspaceNameCharacters}
          autoComplete="organization"
          save={renameWorkspace}
        />
        <WorkspaceLanguage />
      </SettingsSection>
      <LinkPreviewSettings />
      <ReadReceipts />
    </PaneFrame>
  )
}
