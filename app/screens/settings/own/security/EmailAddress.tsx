import { i18n } from '@lingui/core'
import { useState } from 'react'
import { isEmailAddress, toStoredAddress } from '../../../../../wire/emailAddress.ts'
import type { OwnAccount } from '../../../../data/account/ownAccount.ts'
import { changeEmail } from '../../../../data/account/emailAndPassword.ts'
import { Button } from '../../../../ui/Button.tsx'
import { cx } from '../../../../ui/cx.ts'
import { Form } from '../../../../ui/Form.tsx'
import { TextField } from '../../../../ui/TextField.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'
import styles from '../../SettingsPane.module.css'
import { PendingEmailChange } from './PendingEmailChange.tsx'

/**
 * The account's email address and its change, which both the old and the new address confirm.
 * @param canChange false where the server sends no codes, so that nobody could confirm an address
 */
export function EmailAddress({ account, canChange }: { account: OwnAccount; canChange: boolean }) {
  const [editing, setEditing] = useState<boolean | null>(null)
  const pending = isPending(account) ? account.new_email : undefined
  return (
    <SettingsSection title={i18n._('Email address')}>
      <div className={styles.line}>
        <p className={cx(styles.text, styles.word)}>
          <bdi>{account.email}</bdi>
        </p>
        {editing || !canChange ? null : (
          <Button autoFocus={editing === false} onClick={() => setEditing(true)}>
            {i18n._('Change email')}
          </Button>
        )}
      </div>
      {canChange ? null : (
        <p className="note">
          {i18n._(
            'You can’t change this address, because the server sends no codes to confirm a new address.',
          )}
        </p>
      )}
      {editing ? (
        <NewAddress before={account.email} onClose={() => setEditing(false)} />
      ) : pending ? (
        <PendingEmailChange key={pending} before={account.email} after={pending} />
      ) : null}
    </SettingsSection>
  )
}

/** Age after which an unconfirmed change is ignored: the maximum lifetime of a code. */
const MAX_CODE_AGE_MS = 24 * 60 * 60 * 1000

function isPending({ new_email, email_change_sent_at }: OwnAccount): boolean {
  return !!new_email && Date.now() - Date.parse(email_change_sent_at ?? '') < MAX_CODE_AGE_MS
}

function NewAddress({ before, onClose }: { before: string; onClose: () => void }) {
  const [email, setEmail] = useState('')
  const address = toStoredAddress(email)
  const isReady = isEmailAddress(address) && address !== before
  return (
    <Form
      action={i18n._('Continue')}
      isDisabled={!isReady}
      run={() => changeEmail(address)}
      onDone={onClose}
      after={
        <Button variant="quiet" onClick={onClose}>
          {i18n._('Cancel')}
        </Button>
      }
    >
      <TextField
        label={i18n._('New email')}
        hint={i18n._(
          'We’ll send a code to both addresses. The change takes effect once you’ve confirmed both.',
        )}
        type="email"
        autoComplete="email"
        autoFocus
        value={email}
        onChange={setEmail}
      />
    </Form>
  )
}
