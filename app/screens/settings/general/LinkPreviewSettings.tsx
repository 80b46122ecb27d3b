import { i18n } from '@lingui/core'
import { setWorkspaceOptions } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { SettingsSection } from '../SettingsSection.tsx'
import { SettingSwitch } from '../SettingSwitch.tsx'

/** Whether the server fetches previews of links. */
export function LinkPreviewSettings() {
  const { workspace } = useMe()
  return (
    <SettingsSection title={i18n._('Link previews')}>
      <SettingSwitch
        label={i18n._('Show previews of links in messages')}
        hint={i18n._(
          'The server opens each link that is posted, so the website learns that someone shared it. It doesn’t learn who reads it.',
        )}
        saved={workspace.link_previews === true}
        save={(link_previews) => setWorkspaceOptions({ link_previews })}
      />
    </SettingsSection>
  )
}
