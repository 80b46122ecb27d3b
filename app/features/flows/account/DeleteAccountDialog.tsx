import { i18n } from '@lingui/core'
import { useState } from 'react'
import { accountDeletion, requestAccountDeletion } from '../../../data/account/accountDeletion.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { TextField } from '../../../ui/TextField.tsx'

/** Confirms the deletion of the user's account, and what becomes of their messages. */
export default function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const { value, failure } = useQuery(accountDeletion)
  const [messages, setMessages] = useState<'keep' | 'delete'>('keep')
  const [address, setAddress] = useState('')
  if (!value && !failure) return null
  const ownedAlone = value?.owned_alone ?? []
  return (
    <ConfirmDialog
      title={i18n._('Delete your account?')}
      action={i18n._('Delete account')}
      isDestructive
      failure={failure?.message}
      isDisabled={!value || ownedAlone.length > 0 || address.trim() === ''}
      run={() => requestAccountDeletion(address, messages === 'delete')}
      onClose={onClose}
    >
      {ownedAlone.length > 0 ? (
        <p role="status">
          {i18n._(
            'You’re the only owner of {names}. First make someone else the owner under “Permissions and ownership”, or delete the workspace.',
            { names: ownedAlone.join(', ') },
          )}
        </p>
      ) : value ? (
        <>
          <p>
            {i18n._(
              'You’ll be signed out everywhere right away. {days, plural, one {You have # day to change your mind: sign in and choose “Keep my account”.} other {You have # days to change your mind: sign in and choose “Keep my account”.}}',
              { days: value.days },
            )}
          </p>
          {value.workspaces.length > 1 ? (
            <p>
              {i18n._('You’ll lose access to all your workspaces: {names}.', {
                names: value.workspaces.join(', '),
              })}
            </p>
          ) : null}
          <p>
            {i18n._(
              'After that, your name, picture, drafts, reminders, saved messages, passkeys and devices will be deleted for good. You can export your data first, under “Your data”.',
            )}
          </p>
          <RadioGroup<'keep' | 'delete'>
            label={i18n._('{messages, plural, one {Your # message} other {Your # messages}}', {
              messages: value.messages,
            })}
            value={messages}
            options={[
              { value: 'keep', label: i18n._('Keep my messages, under the name “Former member”') },
              { value: 'delete', label: i18n._('Delete my messages and files too') },
            ]}
            onChange={setMessages}
          />
          <TextField
            label={i18n._('Enter the email address of your account to confirm')}
            autoComplete="off"
            value={address}
            onChange={setAddress}
          />
        </>
      ) : null}
    </ConfirmDialog>
  )
}
