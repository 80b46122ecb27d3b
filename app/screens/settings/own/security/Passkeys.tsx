import { i18n } from '@lingui/core'
import { useState } from 'react'
import {
  addPasskey,
  passkeyList,
  removePasskey,
  renamePasskey,
  type Passkey,
} from '../../../../data/account/passkeys.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../../features/parts/lists/QueryContent.tsx'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { Button } from '../../../../ui/Button.tsx'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { TextField } from '../../../../ui/TextField.tsx'
import { useAction } from '../../../../ui/useAction.ts'
import { webAuthnObstacle } from '../../../../features/flows/account/webAuthnObstacle.ts'
import { EditableList } from '../../EditableList.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'
import { formatDate } from '../../../../ui/dates.ts'

/** Passkeys of the account: add, rename and remove. */
export function Passkeys() {
  const query = useQuery(passkeyList)
  const [renaming, setRenaming] = useState<Passkey | null>(null)
  const showToast = useToast()
  const action = useAction()
  const add = async () => {
    if (await action.run(addPasskey)) showToast({ text: i18n._('Passkey added.') })
  }
  return (
    <SettingsSection
      title={i18n._('Passkeys')}
      hint={i18n._('Sign in with your fingerprint, face or device PIN. No email or password needed.')}
    >
      <QueryContent query={query} loading={i18n._('Passkeys')}>
        {(passkeys) => (
          <EditableList
            items={passkeys}
            keyOf={({ id }) => id}
            actions={(passkey) => {
              const name = isolateBidi(passkeyName(passkey))
              return [
                {
                  text: i18n._('Rename'),
                  label: i18n._('Rename {name}', { name }),
                  onClick: () => setRenaming(passkey),
                },
                {
                  text: i18n._('Remove'),
                  label: i18n._('Remove {name}', { name }),
                  confirm: {
                    title: i18n._('Remove this passkey?'),
                    text: i18n._(
                      'You’ll no longer be able to sign in with {name}. Delete it from your device as well.',
                      { name },
                    ),
                    action: i18n._('Remove passkey'),
                    isDestructive: true,
                    doneText: i18n._('Passkey removed.'),
                    run: () => removePasskey(passkey.id),
                  },
                },
              ]
            }}
          >
            {(passkey) => (
              <>
                <p>
                  <bdi>{passkeyName(passkey)}</bdi>
                </p>
                <p className="note">
                  {passkey.last_used_at
                    ? i18n._('Last used {day}', { day: formatDate(passkey.last_used_at) })
                    : i18n._('Added {day}', { day: formatDate(passkey.created_at) })}
                </p>
              </>
            )}
          </EditableList>
        )}
      </QueryContent>
      <div>
        <Button busy={action.busy} onClick={() => void add()}>
          {i18n._('Add a passkey')}
        </Button>
      </div>
      {action.failure ? <p role="alert">{action.failure}</p> : null}
      {renaming ? <RenamePasskey passkey={renaming} onClose={() => setRenaming(null)} /> : null}
    </SettingsSection>
  )
}

/** The reason why this page cannot use the passkeys of the server. */
export function NoPasskeys() {
  return (
    <SettingsSection title={i18n._('Passkeys')}>
      <p className="note">{webAuthnObstacle()}</p>
    </SettingsSection>
  )
}

function passkeyName(passkey: Passkey): string {
  return passkey.friendly_name || i18n._('Passkey')
}

function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkeyName(passkey))
  return (
    <FormDialog
      title={i18n._('Rename {name}', { name: isolateBidi(passkeyName(passkey)) })}
      action={i18n._('Save')}
      run={() => renamePasskey(passkey.id, name.trim())}
      isDisabled={!name.trim()}
      onClose={onClose}
    >
      <TextField label={i18n._('Passkey name')} maxLength={60} value={name} onChange={setName} />
    </FormDialog>
  )
}
