import { Suspense, useState } from 'react'
import type { Attachment } from '../../../../../wire/files.ts'
import type { Message } from '../../../../../wire/messages.ts'
import { writtenAt } from '../../../../data/messages/writtenAt.ts'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'
import styles from './Attachments.module.css'
import { MAX_TILES, splitByImage } from './mediaLayout.ts'
import { ImageAttachment } from './ImageAttachment.tsx'
import { ImageGrid } from './ImageGrid.tsx'
import { fileKindOf } from '../../../../../wire/fileKinds.ts'
import { AudioPlayer } from '../playback/AudioPlayer.tsx'
import { VideoPlayer } from '../playback/VideoPlayer.tsx'
import { VoiceMessage } from '../voice/VoiceMessage.tsx'
import { FileRow, type FileProps } from './FileRow.tsx'
import { TextAttachment } from './TextAttachment.tsx'

const FileViewer = lazyComponent(() => import('../viewer/FileViewer.tsx'), { preload: true })

/** The files of a message: a grid of images, then one row or player for each other file. Each can be opened. */
export default function AttachmentsContent({ message }: { message: Message }) {
  const { attachments, author_id: by } = message
  const channelOf = (file: Attachment) => file.channel_id ?? message.channel_id
  const [openIndex, setOpenIndex] = useState<number | null>(null)
  const [recording] = attachments
  const voice = message.extras?.voice
  const { images, others } = splitByImage(attachments)
  const files = [...images, ...others]
  if (voice && recording)
    return <VoiceMessage channelId={channelOf(recording)} authorId={by} file={recording} voice={voice} />
  return (
    <div className={styles.attachments}>
      <ImageGrid images={images} max={MAX_TILES}>
        {(file, layout, index) => (
          <ImageAttachment
            key={file.id}
            channelId={channelOf(file)}
            file={file}
            layout={layout}
            covered={index === MAX_TILES - 1 ? images.length - index : 1}
            onShow={() => setOpenIndex(index)}
          />
        )}
      </ImageGrid>
      {others.map((file, index) => (
        <FileAttachment
          key={file.id}
          channelId={channelOf(file)}
          file={file}
          onShow={() => setOpenIndex(images.length + index)}
        />
      ))}
      {openIndex === null ? null : (
        <Suspense>
          <FileViewer
            files={files.map((file) => ({
              channelId: channelOf(file),
              file,
              sent: { by, at: writtenAt(message) },
            }))}
            at={openIndex}
            onMove={setOpenIndex}
            onClose={() => setOpenIndex(null)}
          />
        </Suspense>
      )}
    </div>
  )
}

/** A file that is not shown as an inline image. */
function FileAttachment(props: FileProps) {
  const kind = fileKindOf(props.file.type)
  const [tries, setTries] = useState(0)
  const retry = () => setTries(tries + 1)
  if (kind === 'video') return <VideoPlayer key={tries} {...props} onRetry={retry} />
  if (kind === 'audio') return <AudioPlayer key={tries} {...props} onRetry={retry} />
  if (kind === 'text') return <TextAttachment {...props} />
  return <FileRow {...props} canOpen={kind !== 'other'} />
}
