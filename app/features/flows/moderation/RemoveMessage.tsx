import { i18n } from '@lingui/core'
import { removeMessage, type RemovalTarget } from '../../../data/moderation/moderation.ts'
import { ReasonDialog } from './ReasonDialog.tsx'

interface Props {
  target: RemovalTarget
  onDone?: () => void
  onClose: () => void
}

/** Removes a message of somebody else, with a reason that its readers see. */
export default function RemoveMessage({ target, onDone, onClose }: Props) {
  return (
    <ReasonDialog
      title={i18n._('Remove this message?')}
      hint={i18n._('Everyone who can read the conversation sees the reason in its place.')}
      action={i18n._('Remove message')}
      doneText={i18n._('Message removed.')}
      run={(reason) => removeMessage(target, reason)}
      onDone={onDone}
      onClose={onClose}
    />
  )
}
