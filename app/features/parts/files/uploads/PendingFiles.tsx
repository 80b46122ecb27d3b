import type { DiscardedMessage } from '../../../../data/messages/messages.ts'
import type { PendingMessage } from '../../../../data/messages/timeline.ts'
import attachmentStyles from '../attachments/Attachments.module.css'
import { ImageGrid } from '../attachments/ImageGrid.tsx'
import { layoutOf, splitByImage } from '../attachments/mediaLayout.ts'
import { PendingFileRow } from './PendingFileRow.tsx'
import { PendingImage } from './PendingImage.tsx'

interface Props {
  message: PendingMessage
  /** Receives the text of a message whose last file is removed; null where there is no composer. */
  onRestore: ((message: DiscardedMessage) => void) | null
}

/** The files of a message that is being sent, in their final layout, with their progress. */
export default function PendingFiles({ message, onRestore }: Props) {
  const { images, others } = splitByImage(message.files)
  const isErrorShown = message.state === 'failed' && message.files.length === 1
  const mayRemove = message.files.length > 1 || message.body === '' || onRestore !== null
  const rest = { onRestore, mayRemove, isErrorShown }
  return (
    <div className={attachmentStyles.attachments}>
      {/* All of them, because each upload has its progress and its actions. */}
      <ImageGrid images={images}>
        {(file, layout) => <PendingImage key={file.id} file={file} layout={layout} {...rest} />}
      </ImageGrid>
      {others.map((file) => {
        const layout = layoutOf(file)
        return layout ? (
          <PendingImage key={file.id} file={file} layout={layout} {...rest} />
        ) : (
          <PendingFileRow key={file.id} file={file} {...rest} />
        )
      })}
    </div>
  )
}
