import { useReferencedMessage } from '../../../data/messages/referencedMessages.ts'
import { writtenAt } from '../../../data/messages/writtenAt.ts'
import FileViewer from '../../parts/files/viewer/FileViewer.tsx'

interface Props {
  messageId: string
  fileId: string
  onClose: () => void
}

/** The viewer of one file of a message. Nothing if the reader may not read the message, which the page below states. */
export default function AddressedFile({ messageId, fileId, onClose }: Props) {
  const message = useReferencedMessage(messageId)
  const file = message?.attachments.find(({ id }) => id === fileId)
  if (!message || !file) return null
  return (
    <FileViewer
      files={[
        {
          channelId: file.channel_id ?? message.channel_id,
          file,
          sent: { by: message.author_id, at: writtenAt(message) },
        },
      ]}
      at={0}
      onMove={() => {}}
      onClose={onClose}
    />
  )
}
