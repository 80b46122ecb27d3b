import { i18n } from '@lingui/core'
import { setReauthentication } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { SettingsSection } from '../SettingsSection.tsx'
import { SettingSwitch } from '../SettingSwitch.tsx'

/** Whether owners and admins authenticate again before dangerous commands. */
export function Reauthentication() {
  const { workspace } = useMe()
  return (
    <SettingsSection
      title={i18n._('Sensitive actions')}
      hint={i18n._(
        'Protects the workspace if someone else gets hold of an unlocked device. Everyday work, such as inviting people or moderating messages, stays as it is.',
      )}
    >
      <SettingSwitch
        label={i18n._('Ask owners and admins to confirm that it’s them')}
        hint={i18n._(
          'They use their second factor, or sign in again if they have none, and aren’t asked again for 15 minutes. This applies to roles, permissions, retention and server settings, to removing people, to deleting channels or putting them on the web, and to bots and webhooks.',
        )}
        saved={workspace.reauthentication ?? false}
        save={setReauthentication}
      />
    </SettingsSection>
  )
}
