import { i18n } from '@lingui/core'
import { setPrivateExport } from '../../../data/workspaces/workspaceSettings.ts'
import { privateExportOf } from '../../../data/workspaces/privateExport.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { formatDateTime } from '../../../ui/dates.ts'
import { SettingsSection } from '../SettingsSection.tsx'
import { SettingSwitch } from '../SettingSwitch.tsx'

/** Whether an export for the owners contains private and direct conversations. */
export function PrivateExport() {
  const { workspace } = useMe()
  const state = privateExportOf(workspace)
  return (
    <SettingsSection
      title={i18n._('Export')}
      hint={i18n._('An export for owners always contains the public channels of the workspace.')}
    >
      <SettingSwitch
        label={i18n._('Let owners export private channels and direct messages')}
        hint={i18n._(
          'Turning this on takes effect after 24 hours, turning it off at once. Members see the setting immediately in “Who can read this?”. The audit log records changes of the setting and all exports.',
        )}
        saved={workspace.allows_private_export ?? false}
        save={setPrivateExport}
      />
      {typeof state === 'string' ? (
        <p className="note" role="status">
          {i18n._(
            'Starting {time}, exports contain private channels and direct messages, including earlier messages.',
            {
              time: formatDateTime(state),
            },
          )}
        </p>
      ) : null}
    </SettingsSection>
  )
}
