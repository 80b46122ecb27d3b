import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { OwnAccount } from '../../../data/account/ownAccount.ts'
import { changeEmail } from '../../../data/account/emailAndPassword.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useAction } from '../../account/useAction.ts'
import { Part } from '../Part.tsx'
import styles from '../SettingsPane.module.css'
import { PendingAddress } from './PendingAddress.tsx'

interface Props {
  account: OwnAccount
  onChanged: () => void
}

/** The address that one signs in with, and its change, which both the old and the new one confirm. */
export function Address({ account, onChanged }: Props) {
  const [editing, setEditing] = useState<boolean | null>(null)
  const pending = isPending(account) ? account.new_email : undefined
  return (
    <Part title={i18n._('Email address')}>
      <div className={styles.line}>
        <p className={styles.words}>
          <bdi>{account.email}</bdi>
        </p>
        {editing ? null : (
          <Button autoFocus={editing === false} onClick={() => setEditing(true)}>
            {pending ? i18n._('Change email') : i18n._('Change email')}
          </Button>
        )}
      </div>
      {editing ? (
        <NewAddress
          before={account.email}
          onDone={() => {
            setEditing(false)
            onChanged()
          }}
          onCancel={() => setEditing(false)}
        />
      ) : pending ? (
        <PendingAddress key={pending} before={account.email} after={pending} onChanged={onChanged} />
      ) : null}
    </Part>
  )
}

/** Milliseconds after which a change that nobody confirmed is past, by the longest life of a code. */
const LONGEST = 24 * 60 * 60 * 1000

function isPending({ new_email, email_change_sent_at }: OwnAccount): boolean {
  return !!new_email && Date.now() - Date.parse(email_change_sent_at ?? '') < LONGEST
}

function NewAddress({
  before,
  onDone,
  onCancel,
}: {
  before: string
  onDone: () => void
  onCancel: () => void
}) {
  const [email, setEmail] = useState('')
  const action = useAction()
  const address = email.trim().toLowerCase()
  const ready = address.includes('@') && address !== before
  const ask = async () => {
    if (ready && (await action.run(() => changeEmail(address)))) onDone()
  }
  return (
    <Form onSubmit={() => void ask()} failure={action.failure}>
      <TextField
        label={i18n._('New email')}
        hint={i18n._(
          'We’ll send a code to both addresses. The change takes effect once you’ve confirmed both.',
        )}
        type="email"
        inputMode="email"
        autoComplete="email"
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <div className={styles.line}>
        <Button type="submit" look="primary" busy={action.busy} disabled={!ready}>
          {i18n._('Continue')}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {i18n._('Cancel')}
        </Button>
      </div>
    </Form>
  )
}
