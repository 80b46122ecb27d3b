import { i18n } from '@lingui/core'
import { useState } from 'react'
import {
  addPasskey,
  listPasskeys,
  removePasskey,
  renamePasskey,
  type Passkey,
} from '../../../data/account/passkeys.ts'
import { isolated } from '../../../data/people/isolateBidi.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useNotice } from '../../../ui/notice.ts'
import { TextField } from '../../../ui/TextField.tsx'
import { useAnswer } from '../../../ui/useAnswer.ts'
import { useAction } from '../../account/useAction.ts'
import { Part } from '../Part.tsx'
import { Removal } from './Removal.tsx'
import own from './security.module.css'
import { dateOf } from '../../../ui/clock.ts'

/** Keys that sign in by themselves, in place of mail and password. */
export function Passkeys() {
  const [turn, setTurn] = useState(0)
  const answer = useAnswer(listPasskeys, turn)
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const notice = useNotice()
  const action = useAction()
  const again = () => setTurn(turn + 1)
  const add = async () => {
    if (!(await action.run(addPasskey))) return
    notice({ words: i18n._('Passkey added.') })
    again()
  }
  return (
    <Part
      title={i18n._('Passkeys')}
      hint={i18n._('Sign in with your fingerprint, face or device PIN. No email or password needed.')}
    >
      {answer?.ok && answer.value.length ? (
        <ul className={own.list}>
          {answer.value.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} onChanged={again} onRemove={() => setRemoving(passkey)} />
          ))}
        </ul>
      ) : null}
      {answer?.ok === false ? <p role="alert">{answer.failure.sentence}</p> : null}
      <div>
        <Button busy={action.busy} onClick={() => void add()}>
          {i18n._('Add a passkey')}
        </Button>
      </div>
      {action.failure ? <p role="alert">{action.failure}</p> : null}
      {removing ? (
        <Removal
          title={i18n._('Remove this passkey?')}
          words={i18n._(
            'You’ll no longer be able to sign in with {name}. Delete it from your device as well.',
            {
              name: isolated(passkeyName(removing)),
            },
          )}
          done={i18n._('Passkey removed.')}
          remove={() => removePasskey(removing.id)}
          onDone={() => {
            setRemoving(null)
            again()
          }}
          onClose={() => setRemoving(null)}
        />
      ) : null}
    </Part>
  )
}

function passkeyName(passkey: Passkey): string {
  return passkey.friendly_name || i18n._('Passkey')
}

function Row({
  passkey,
  onChanged,
  onRemove,
}: {
  passkey: Passkey
  onChanged: () => void
  onRemove: () => void
}) {
  const [name, setName] = useState<string | null>(null)
  const [renamed, setRenamed] = useState(false)
  const action = useAction()
  const shown = passkeyName(passkey)
  const rename = async () => {
    const wanted = name?.trim()
    if (!wanted || !(await action.run(() => renamePasskey(passkey.id, wanted)))) return
    setName(null)
    onChanged()
  }
  if (name !== null) {
    return (
      <li className={own.row}>
        <div className={own.words}>
          <Form onSubmit={() => void rename()} failure={action.failure}>
            <TextField
              label={i18n._('Passkey name')}
              autoComplete="off"
              maxLength={60}
              autoFocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <div className={own.buttons}>
              <Button type="submit" look="primary" busy={action.busy} disabled={!name.trim()}>
                {i18n._('Save')}
              </Button>
              <Button look="quiet" onClick={() => setName(null)}>
                {i18n._('Cancel')}
              </Button>
            </div>
          </Form>
        </div>
      </li>
    )
  }
  return (
    <li className={own.row}>
      <div className={own.words}>
        <p>
          <bdi>{shown}</bdi>
        </p>
        <p className={own.small}>
          {passkey.last_used_at
            ? i18n._('Last used {day}', { day: dateOf(passkey.last_used_at) })
            : i18n._('Added {day}', { day: dateOf(passkey.created_at) })}
        </p>
      </div>
      <div className={own.buttons}>
        <Button
          aria-label={i18n._('Rename {name}', { name: isolated(shown) })}
          autoFocus={renamed}
          onClick={() => {
            setRenamed(true)
            setName(shown)
          }}
        >
          {i18n._('Rename')}
        </Button>
        <Button aria-label={i18n._('Remove {name}', { name: isolated(shown) })} onClick={onRemove}>
          {i18n._('Remove')}
        </Button>
      </div>
    </li>
  )
}
