import { Suspense, useState } from 'react'
import type { Message } from '../../../../wire/linnet.ts'
import { lazily } from '../../../ui/lazily.tsx'
import styles from './Attachments.module.css'
import { FileLine } from './FileLine.tsx'
import { inOrder } from './pictureBox.ts'
import { Picture } from './Picture.tsx'

const FileViewer = lazily(() => import('../viewer/FileViewer.tsx'))

/** The files of a message: pictures first, others in a line or a player of their own; any of them can be opened. */
export default function Files({ message }: { message: Message }) {
  const { channel_id: channelId, attachments, author_id: by, created_at: at } = message
  const [shown, setShown] = useState<number | null>(null)
  const { pictures, others } = inOrder(attachments)
  const files = [...pictures, ...others]
  return (
    <div className={styles.attachments}>
      {files.map((file, index) => {
        const given = { channelId, file, onShow: () => setShown(index) }
        return index < pictures.length ? (
          <Picture key={file.id} {...given} alone={pictures.length === 1} />
        ) : (
          <FileLine key={file.id} {...given} />
        )
      })}
      {shown === null ? null : (
        <Suspense>
          <FileViewer
            files={files.map((file) => ({ channelId, file, sent: { by, at } }))}
            at={shown}
            onMove={setShown}
            onClose={() => setShown(null)}
          />
        </Suspense>
      )}
    </div>
  )
}
