import { i18n } from '@lingui/core'
import { setWorkspaceOptions } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Switch } from '../../../ui/Switch.tsx'
import { useSetting } from '../../../data/hooks/useSetting.ts'
import { SettingsSection } from '../SettingsSection.tsx'

/** Whether the server fetches previews of links. */
export function LinkPreviewSettings() {
  const { workspace } = useMe()
  const setting = useSetting(workspace.link_previews === true, (link_previews) =>
    setWorkspaceOptions({ link_previews }),
  )
  return (
    <SettingsSection title={i18n._('Link previews')}>
      <Switch
        label={i18n._('Show previews of links in messages')}
        hint={i18n._(
          'The server opens each link that is posted, so the website learns that someone shared it. It doesn’t learn who reads it.',
        )}
        checked={setting.value}
        onChange={setting.choose}
        failure={setting.failure}
      />
    </SettingsSection>
  )
}
