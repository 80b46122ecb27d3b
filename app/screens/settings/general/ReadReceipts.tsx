import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useSetting } from '../../../data/hooks/useSetting.ts'
import { setWorkspaceOptions } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Form } from '../../../ui/Form.tsx'
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
  const confirm = (mode: Mode) => {
    setting.choose(mode)
    setUnconfirmed(null)
  }
  return (
    <SettingsSection
      title={i18n._('Read receipts')}
      hint={i18n._('Shows who has read a message, under “Who can read this?” in its menu.')}
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
        <Dialog title={i18n._('Show who has read messages?')} onClose={() => setUnconfirmed(null)}>
          <div className={layout.body}>
            <Form onSubmit={() => confirm(unconfirmed)}>
              <p>
                {i18n._(
                  'Everyone who can read a message will see which others have read up to it, also for messages from before today. Nobody can turn this off for themselves, and nobody is notified of the change.',
                )}
              </p>
              <p>
                {unconfirmed === 'everyone'
                  ? i18n._(
                      'In conversations with guests, guests see this about members, and members about guests.',
                    )
                  : i18n._('Conversations with guests don’t get read receipts.')}
              </p>
              <div className={layout.footer}>
                <Button variant="quiet" onClick={() => setUnconfirmed(null)}>
                  {i18n._('Cancel')}
                </Button>
                <Button type="submit" variant="primary">
                  {i18n._('Show read receipts')}
                </Button>
              </div>
            </Form>
          </div>
        </Dialog>
      )}
    </SettingsSection>
  )
}
