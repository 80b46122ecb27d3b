import { i18n } from '@lingui/core'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import type { UnsentCount } from '../../../data/messages/countUnsent.ts'
import { signOut } from '../../../data/session/account.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'

/** Confirms signing out if unsent messages or drafts would be lost. */
export default function SignOutDialog({ messages, drafts, onClose }: UnsentCount & { onClose: () => void }) {
  const parts: string[] = []
  if (messages > 0)
    parts.push(i18n._('{messages, plural, one {# unsent message} other {# unsent messages}}', { messages }))
  if (drafts > 0) parts.push(i18n._('{drafts, plural, one {# draft} other {# drafts}}', { drafts }))
  const what = new Intl.ListFormat(i18n.locale, { type: 'conjunction' }).format(parts)
  return (
    <ConfirmDialog
      title={i18n._('Sign out')}
      action={i18n._('Sign out')}
      run={signOut}
      isDestructive
      cancelLabel={i18n._('Stay signed in')}
      onDone={() => navigate(pathTo('signIn'))}
      onClose={onClose}
    >
      <p>{i18n._('You have unsent messages or drafts.')}</p>
      <p>{i18n._('Signing out deletes {what} from this device.', { what })}</p>
    </ConfirmDialog>
  )
}
