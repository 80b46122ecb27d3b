import { i18n } from '@lingui/core'
import { useState } from 'react'
import { LIMITS } from '../../../../wire/limits.ts'
import { useChannel } from '../../../data/channels/channels.ts'
import { reportMessage } from '../../../data/moderation/moderation.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useToast } from '../../../ui/toast.ts'
import { ReferencedMessage } from '../../conversation/message/extras/ReferencedMessage.tsx'

interface Props {
  channelId: string
  messageId: string
  onClose: () => void
}

/** The dialog that reports a message to owners and admins. It first states what they will see. */
export default function ReportMessage({ channelId, messageId, onClose }: Props) {
  const channel = useChannel(channelId)
  const showToast = useToast()
  const [id] = useState(() => crypto.randomUUID())
  const [note, setNote] = useState('')
  const [withContext, setWithContext] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const isPublic = typeof channel !== 'string' && channel.kind === 'public'
  const submit = async () => {
    if (busy) return
    setBusy(true)
    const outcome = await reportMessage(id, messageId, note, withContext)
    setBusy(false)
    if (!outcome.ok) return setFailure(outcome.failure.message)
    onClose()
    showToast({ text: i18n._('Reported. The admins will look at it.') })
  }
  return (
    <Dialog title={i18n._('Report message')} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={failure}>
          <ReferencedMessage id={messageId} kind="quote" />
          <p className={layout.small}>
            {isPublic
              ? i18n._('Owners and admins see this message and who reported it. Its author isn’t notified.')
              : i18n._(
                  'Owners and admins see this message and who reported it, but nothing else in this conversation. Its author isn’t notified.',
                )}
          </p>
          <TextField
            label={i18n._('What’s wrong with it? (optional)')}
            autoComplete="off"
            maxLength={LIMITS.reasonCharacters}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
          <Checkbox
            label={i18n._('Include the three messages before it')}
            hint={i18n._('They often show what happened.')}
            checked={withContext}
            onChange={setWithContext}
          />
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" variant="primary" busy={busy}>
              {i18n._('Report')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
