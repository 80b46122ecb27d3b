import { i18n } from '@lingui/core'
import { useState } from 'react'
import { signInMethods } from '../../../../data/account/signInMethods.ts'
import type { OwnAccount } from '../../../../data/account/ownAccount.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { Button } from '../../../../ui/Button.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { ChoosePassword } from '../../../../features/flows/account/ChoosePassword.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'

/** Sets a password. The server doesn't reveal whether the account has one. */
export function Password({ account }: { account: OwnAccount }) {
  const [editing, setEditing] = useState<boolean | null>(null)
  const showToast = useToast()
  const { value: methods } = useQuery(signInMethods)
  return (
    <SettingsSection
      title={i18n._('Password')}
      hint={
        methods?.mailedCodes === false
          ? i18n._(
              'This server sends no sign-in emails. You sign in with a password, a passkey or another service.',
            )
          : methods?.hasLocalMailbox
            ? i18n._(
                'This server can’t send email. With a password you can sign in without a code from its administrator.',
              )
            : i18n._('Optional. You can always sign in with an emailed link or code.')
      }
    >
      {editing ? (
        <ChoosePassword
          email={account.email}
          onDone={() => {
            setEditing(false)
            showToast({ text: i18n._('Password changed.') })
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <div>
          <Button autoFocus={editing === false} onClick={() => setEditing(true)}>
            {i18n._('Change password')}
          </Button>
        </div>
      )}
    </SettingsSection>
  )
}
