import { i18n } from '@lingui/core'
import { useState } from 'react'
import { setWorkspaceOptions } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Form } from '../../../ui/Form.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { useAction } from '../../../data/hooks/useAction.ts'
import { SettingsSection } from '../SettingsSection.tsx'

type Mode = 'off' | 'members' | 'everyone'

/** Whether people see who has read a message; showing more is confirmed with what it reveals. */
export function ReadReceipts() {
  const { workspace } = useMe()
  const action = useAction()
  const [unconfirmed, setUnconfirmed] = useState<Exclude<Mode, 'off'> | null>(null)
  const current: Mode = workspace.read_receipts ?? 'off'
  const save = async (read_receipts: Mode) => {
    if (await action.run(() => setWorkspaceOptions({ read_receipts }))) setUnconfirmed(null)
  }
  const choose = (mode: Mode) => {
    // Showing less reveals nothing.
    if (mode === 'off' || current === 'everyone') void save(mode)
    else setUnconfirmed(mode)
  }
  return (
    <SettingsSection
      title={i18n._('Read receipts')}
      hint={i18n._('Shows who has read a message, under “Who can read this?” in its menu.')}
    >
      <RadioGroup<Mode>
        label={i18n._('Read receipts')}
        hideLabel
        value={current}
        options={[
          { value: 'off', label: i18n._('Off') },
          { value: 'members', label: i18n._('In conversations without guests') },
          { value: 'everyone', label: i18n._('In all conversations') },
        ]}
        onChange={choose}
      />
      {unconfirmed === null && action.failure ? <p role="alert">{action.failure}</p> : null}
      {unconfirmed === null ? null : (
        <Dialog title={i18n._('Show who has read messages?')} onClose={() => setUnconfirmed(null)}>
          <div className={layout.body}>
            <Form onSubmit={() => void save(unconfirmed)} failure={action.failure}>
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
                <Button type="submit" variant="primary" busy={action.busy}>
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
