import { i18n } from '@lingui/core'
import { useState } from 'react'
import { confirmEmailChange, resendEmailChange } from '../../../../data/account/emailAndPassword.ts'
import { success } from '../../../../data/failures/failures.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { Form } from '../../../../ui/Form.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { ResendButton } from '../../../../features/flows/account/ResendButton.tsx'
import { CodeField, isCompleteCode } from '../../../../features/flows/account/CodeField.tsx'
import { useMailsStayLocal } from '../../../../features/flows/account/useMailsStayLocal.ts'
import listStyles from '../../SettingsList.module.css'

/** A pending change of the address, confirmed by the link in both emails or by their codes. */
export function PendingEmailChange({ before, after }: { before: string; after: string }) {
  const showToast = useToast()
  const mailsStayLocal = useMailsStayLocal()
  const [confirmed, setConfirmed] = useState<readonly string[]>([])
  const [codes, setCodes] = useState<Record<string, string>>({})
  const open = [before, after].filter((address) => !confirmed.includes(address))
  const typed = open.filter((address) => isCompleteCode(codes[address] ?? ''))

  const confirm = async () => {
    for (const address of typed) {
      // Sequential: the second response shows whether the change is complete.
      const outcome = await confirmEmailChange(address, codes[address] ?? '')
      if (!outcome.ok) return outcome
      if (outcome.value === 'changed') return outcome
      setConfirmed((others) => [...others, address])
    }
    return success('more' as const)
  }
  return (
    <div className={listStyles.card}>
      <Form
        action={i18n._('Confirm')}
        isDisabled={typed.length === 0}
        run={confirm}
        onDone={(state) => {
          if (state === 'changed') showToast({ text: i18n._('Email address updated.') })
        }}
        after={
          <ResendButton
            by="email"
            label={mailsStayLocal ? i18n._('Get new codes') : i18n._('Resend both emails')}
            sentText={
              mailsStayLocal
                ? i18n._('Two new codes are in the server’s mailbox.')
                : i18n._('We sent two new emails.')
            }
            resend={() => resendEmailChange(before)}
          />
        }
      >
        <p>
          {mailsStayLocal
            ? i18n._(
                'To change your email to {address}, enter both codes here. No mail server is set up, so ask the server’s administrator for them.',
                { address: isolateBidi(after) },
              )
            : i18n._(
                'To change your email to {address}, open the link in both emails we sent, or enter both codes here.',
                { address: isolateBidi(after) },
              )}
        </p>
        {[before, after].map((address) =>
          confirmed.includes(address) ? (
            <p key={address} role="status">
              {i18n._('{address} is confirmed.', { address: isolateBidi(address) })}
            </p>
          ) : (
            <CodeField
              key={address}
              label={i18n._('Code sent to {address}', { address: isolateBidi(address) })}
              value={codes[address] ?? ''}
              onChange={(code) => setCodes({ ...codes, [address]: code })}
            />
          ),
        )}
        <p className="note">
          {i18n._(
            'Until then, keep signing in as {address}. To cancel, just ignore the emails; the codes will expire.',
            {
              address: isolateBidi(before),
            },
          )}
        </p>
      </Form>
    </div>
  )
}
