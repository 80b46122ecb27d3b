import { i18n } from '@lingui/core'
import { setWorkspaceOptions } from '../../data/people/workspaceSettings.ts'
import { useMe } from '../../features/members/MeContext.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { useAction } from '../account/useAction.ts'
import { SettingsSection } from './SettingsSection.tsx'

/** Whether the server fetches previews of links. */
export function LinkPreviewSettings() {
  const { workspace } = useMe()
  const action = useAction()
  return (
    <SettingsSection title={i18n._('Link previews')}>
      <Checkbox
        label={i18n._('Show previews of links in messages')}
        hint={i18n._(
          'The server opens each link that is posted, so the website learns that someone shared it. It doesn’t learn who reads it.',
        )}
        checked={workspace.link_previews === true}
        onChange={(link_previews) => void action.run(() => setWorkspaceOptions({ link_previews }))}
      />
      {action.failure ? <p role="alert">{action.failure}</p> : null}
    </SettingsSection>
  )
}
