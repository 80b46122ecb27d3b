import { Suspense, useEffect, useState } from 'react'
import type { Message } from '../../../../wire/linnet.ts'
import { lazily } from '../../../ui/lazily.tsx'
import styles from './Attachments.module.css'
import { FileLine } from './FileLine.tsx'
import { inOrder } from './isPicture.ts'
import { Picture } from './Picture.tsx'

const viewer = () => import('../viewer/FileViewer.tsx')
const FileViewer = lazily(viewer)

/** Milliseconds until the viewer is fetched ahead, so that it opens without a connection, too. */
const LATER = 3_000

/** The files of a message: pictures first, others in a line or a player of their own; any of them can be opened. */
export default function Files({ message }: { message: Message }) {
  const { channel_id: channelId, attachments, author_id: by, created_at: at } = message
  const [shown, setShown] = useState<number | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => viewer().catch(() => {}), LATER)
    return () => clearTimeout(timer)
  }, [])
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
