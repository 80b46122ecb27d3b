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
import { Form } from '../../../../ui/Form.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { TextField } from '../../../../ui/TextField.tsx'
import { useAction } from '../../../../data/hooks/useAction.ts'
import { SettingsSection } from '../../SettingsSection.tsx'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import listStyles from '../../SettingsList.module.css'
import { formatDate } from '../../../../ui/dates.ts'

/** Passkeys of the account: add, rename and remove. */
export function Passkeys() {
  const query = useQuery(passkeyList)
  const [removing, setRemoving] = useState<Passkey | null>(null)
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
        {(passkeys) =>
          passkeys.length ? (
            <ul className={listStyles.list}>
              {passkeys.map((passkey) => (
                <Row key={passkey.id} passkey={passkey} onRemove={() => setRemoving(passkey)} />
              ))}
            </ul>
          ) : null
        }
      </QueryContent>
      <div>
        <Button busy={action.busy} onClick={() => void add()}>
          {i18n._('Add a passkey')}
        </Button>
      </div>
      {action.failure ? <p role="alert">{action.failure}</p> : null}
      {removing ? (
        <ConfirmDialog
          title={i18n._('Remove this passkey?')}
          text={i18n._(
            'You’ll no longer be able to sign in with {name}. Delete it from your device as well.',
            {
              name: isolateBidi(passkeyName(removing)),
            },
          )}
          action={i18n._('Remove passkey')}
          isDestructive
          doneText={i18n._('Passkey removed.')}
          run={() => removePasskey(removing.id)}
          onClose={() => setRemoving(null)}
        />
      ) : null}
    </SettingsSection>
  )
}

function passkeyName(passkey: Passkey): string {
  return passkey.friendly_name || i18n._('Passkey')
}

function Row({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const [name, setName] = useState<string | null>(null)
  const [renamed, setRenamed] = useState(false)
  const action = useAction()
  const shown = passkeyName(passkey)
  const rename = async () => {
    const trimmed = name?.trim()
    if (trimmed && (await action.run(() => renamePasskey(passkey.id, trimmed)))) setName(null)
  }
  if (name !== null) {
    return (
      <li className={listStyles.row}>
        <div className={listStyles.details}>
          <Form onSubmit={() => void rename()} failure={action.failure}>
            <TextField
              label={i18n._('Passkey name')}
              autoComplete="off"
              maxLength={60}
              autoFocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <div className={listStyles.buttons}>
              <Button type="submit" variant="primary" busy={action.busy} disabled={!name.trim()}>
                {i18n._('Save')}
              </Button>
              <Button variant="quiet" onClick={() => setName(null)}>
                {i18n._('Cancel')}
              </Button>
            </div>
          </Form>
        </div>
      </li>
    )
  }
  return (
    <li className={listStyles.row}>
      <div className={listStyles.details}>
        <p>
          <bdi>{shown}</bdi>
        </p>
        <p className={listStyles.small}>
          {passkey.last_used_at
            ? i18n._('Last used {day}', { day: formatDate(passkey.last_used_at) })
            : i18n._('Added {day}', { day: formatDate(passkey.created_at) })}
        </p>
      </div>
      <div className={listStyles.buttons}>
        <Button
          aria-label={i18n._('Rename {name}', { name: isolateBidi(shown) })}
          autoFocus={renamed}
          onClick={() => {
            setRenamed(true)
            setName(shown)
          }}
        >
          {i18n._('Rename')}
        </Button>
        <Button aria-label={i18n._('Remove {name}', { name: isolateBidi(shown) })} onClick={onRemove}>
          {i18n._('Remove')}
        </Button>
      </div>
    </li>
  )
}
