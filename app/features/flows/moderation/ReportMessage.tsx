import { i18n } from '@lingui/core'
import { useState } from 'react'
import { LIMITS } from '../../../../wire/limits.ts'
import { useChannel } from '../../../data/channels/channels.ts'
import { reportMessage } from '../../../data/moderation/moderation.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { ReferencedMessage } from '../../conversation/message/extras/ReferencedMessage.tsx'

interface Props {
  channelId: string
  messageId: string
  onClose: () => void
}

/** The dialog that reports a message to owners and admins. It first states what they will see. */
export default function ReportMessage({ channelId, messageId, onClose }: Props) {
  const channel = useChannel(channelId)
  const [id] = useState(() => crypto.randomUUID())
  const [note, setNote] = useState('')
  const [withContext, setWithContext] = useState(false)
  const isPublic = typeof channel !== 'string' && channel.kind === 'public'
  return (
    <FormDialog
      title={i18n._('Report message')}
      action={i18n._('Report')}
      run={() => reportMessage(id, messageId, note, withContext)}
      doneText={i18n._('Reported. The admins will look at it.')}
      onClose={onClose}
    >
      <ReferencedMessage id={messageId} kind="quote" />
      <p className="note">
        {isPublic
          ? i18n._('Owners and admins see this message and who reported it. Its author isn’t notified.')
          : i18n._(
              'Owners and admins see this message and who reported it, but nothing else in this conversation. Its author isn’t notified.',
            )}
      </p>
      <TextField
        label={i18n._('What’s wrong with it? (optional)')}
        maxLength={LIMITS.reasonCharacters}
        value={note}
        onChange={setNote}
      />
      <Checkbox
        label={i18n._('Include the three messages before it')}
        hint={i18n._('They often show what happened.')}
        checked={withContext}
        onChange={setWithContext}
      />
    </FormDialog>
  )
}
