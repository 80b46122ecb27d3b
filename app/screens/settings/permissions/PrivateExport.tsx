import { i18n } from '@lingui/core'
import { setPrivateExport } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { SettingsSection } from '../SettingsSection.tsx'
import { SettingSwitch } from '../SettingSwitch.tsx'

/** Whether an export for the owners contains private and direct conversations. */
export function PrivateExport() {
  const { workspace } = useMe()
  return (
    <SettingsSection
      title={i18n._('Export')}
      hint={i18n._('An export for owners always contains the public channels of the workspace.')}
    >
      <SettingSwitch
        label={i18n._('Let owners export private channels and direct messages')}
        hint={i18n._(
          'Members see this setting in “Who can read this?”. The audit log records changes of the setting and all exports.',
        )}
        saved={workspace.allows_private_export ?? false}
        save={setPrivateExport}
      />
    </SettingsSection>
  )
}
