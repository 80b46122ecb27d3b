import { i18n } from '@lingui/core'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import type { UnsentCount } from '../../../data/messages/countUnsent.ts'
import { signOut } from '../../../data/session/account.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'

/** Confirms signing out, which deletes unsent messages and drafts from this device. */
export default function SignOutDialog({ messages, drafts, onClose }: UnsentCount & { onClose: () => void }) {
  const parts: string[] = []
  if (messages > 0)
    parts.push(i18n._('{messages, plural, one {# unsent message} other {# unsent messages}}', { messages }))
  if (drafts > 0) parts.push(i18n._('{drafts, plural, one {# draft} other {# drafts}}', { drafts }))
  const hasUnsent = parts.length > 0
  const what = new Intl.ListFormat(i18n.locale, { type: 'conjunction' }).format(parts)
  return (
    <ConfirmDialog
      title={i18n._('Sign out of this browser?')}
      action={i18n._('Sign out')}
      run={signOut}
      isDestructive={hasUnsent}
      cancelLabel={i18n._('Stay signed in')}
      onDone={() => navigate(pathTo('signIn'))}
      onClose={onClose}
    >
      {hasUnsent ? (
        <>
          <p>{i18n._('You have unsent messages or drafts.')}</p>
          <p>{i18n._('Signing out deletes {what} from this device.', { what })}</p>
        </>
      ) : (
        <p>{i18n._('Your messages and drafts stay in your account.')}</p>
      )}
    </ConfirmDialog>
  )
}
