import { i18n } from '@lingui/core'
import { useState } from 'react'
import { success } from '../../../data/failures/failures.ts'
import { useSetting } from '../../../data/hooks/useSetting.ts'
import { setWorkspaceOptions } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { SettingsSection } from '../SettingsSection.tsx'

type Mode = 'off' | 'members' | 'everyone'

/** Whether people see who has read a message; showing more is confirmed with what it reveals. */
export function ReadReceipts() {
  const { workspace } = useMe()
  const setting = useSetting<Mode>(workspace.read_receipts ?? 'off', (read_receipts) =>
    setWorkspaceOptions({ read_receipts }),
  )
  const [unconfirmed, setUnconfirmed] = useState<Exclude<Mode, 'off'> | null>(null)
  const choose = (mode: Mode) => {
    // Showing less reveals nothing.
    if (mode === 'off' || setting.value === 'everyone') setting.choose(mode)
    else setUnconfirmed(mode)
  }
  return (
    <SettingsSection
      title={i18n._('Read receipts')}
      hint={i18n._(
        'Lets people show each other what they have read, in conversations of up to 12 people. Each person turns it on in their notification settings.',
      )}
    >
      <RadioGroup<Mode>
        label={i18n._('Read receipts')}
        hideLabel
        value={setting.value}
        options={[
          { value: 'off', label: i18n._('Off') },
          { value: 'members', label: i18n._('In conversations without guests') },
          { value: 'everyone', label: i18n._('In all conversations') },
        ]}
        onChange={choose}
      />
      {setting.failure ? <p role="alert">{setting.failure}</p> : null}
      {unconfirmed === null ? null : (
        <ConfirmDialog
          title={i18n._('Show who has read messages?')}
          action={i18n._('Show read receipts')}
          run={() => {
            setting.choose(unconfirmed)
            return success(undefined)
          }}
          onClose={() => setUnconfirmed(null)}
        >
          <p>
            {i18n._(
              'Each person can then choose to show what they have read. In conversations of up to 12 people, the people who show it also see it from each other, including for earlier messages.',
            )}
          </p>
          <p>
            {unconfirmed === 'everyone'
              ? i18n._(
                  'In conversations with guests, guests see this about members, and members about guests.',
                )
              : i18n._('Conversations with guests don’t get read receipts.')}
          </p>
        </ConfirmDialog>
      )}
    </SettingsSection>
  )
}
