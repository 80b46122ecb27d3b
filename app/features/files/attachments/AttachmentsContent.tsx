import { Suspense, useEffect, useState } from 'react'
import type { Message } from '../../../../wire/messages.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import styles from './Attachments.module.css'
import { FileAttachment } from './FileAttachment.tsx'
import { splitByImage } from './mediaLayout.ts'
import { ImageAttachment } from './ImageAttachment.tsx'

const loadViewer = () => import('../viewer/FileViewer.tsx')
const FileViewer = lazyComponent(loadViewer)

/** Milliseconds until the viewer is preloaded, so that it opens offline, too. */
const PRELOAD_AFTER_MS = 3_000

/** The files of a message: images first, then one row or player for each other file. Each can be opened. */
export default function AttachmentsContent({ message }: { message: Message }) {
  const { channel_id: channelId, attachments, author_id: by, created_at: at } = message
  const [openIndex, setOpenIndex] = useState<number | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => loadViewer().catch(() => {}), PRELOAD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  const { images, others } = splitByImage(attachments)
  const files = [...images, ...others]
  return (
    <div className={styles.attachments}>
      {files.map((file, index) => {
        const given = { channelId, file, onShow: () => setOpenIndex(index) }
        return index < images.length ? (
          <ImageAttachment key={file.id} {...given} isOnly={images.length === 1} />
        ) : (
          <FileAttachment key={file.id} {...given} />
        )
      })}
      {openIndex === null ? null : (
        <Suspense>
          <FileViewer
            files={files.map((file) => ({ channelId, file, sent: { by, at } }))}
            at={openIndex}
            onMove={setOpenIndex}
            onClose={() => setOpenIndex(null)}
          />
        </Suspense>
      )}
    </div>
  )
}
