import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import type { UnsentCount } from '../../../data/messages/countUnsent.ts'
import { signOut } from '../../../data/session/account.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import layout from '../../../ui/dialogLayout.module.css'

/** Confirms signing out if unsent messages or drafts would be lost. */
export default function SignOutDialog({ messages, drafts, onClose }: UnsentCount & { onClose: () => void }) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const parts: string[] = []
  if (messages > 0)
    parts.push(i18n._('{messages, plural, one {# unsent message} other {# unsent messages}}', { messages }))
  if (drafts > 0) parts.push(i18n._('{drafts, plural, one {# draft} other {# drafts}}', { drafts }))
  const what = new Intl.ListFormat(i18n.locale, { type: 'conjunction' }).format(parts)
  const submit = async () => {
    setBusy(true)
    const outcome = await signOut()
    if (outcome.ok) return navigate(pathTo('signIn'))
    setBusy(false)
    setFailure(outcome.failure.message)
  }
  return (
    <Dialog title={i18n._('Sign out')} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={failure}>
          <p>{i18n._('You have unsent messages or drafts.')}</p>
          <p>{i18n._('Signing out deletes {what} from this device.', { what })}</p>
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Stay signed in')}
            </Button>
            <Button type="submit" variant="danger" busy={busy}>
              {i18n._('Sign out')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
