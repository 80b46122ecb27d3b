import { Suspense } from 'react'
import type { Message } from '../../../../wire/linnet.ts'
import { lazily } from '../../../ui/lazily.tsx'
import styles from './Attachments.module.css'
import { inOrder, placeOf } from './pictureBox.ts'

// Words come first. Their places are kept until what draws and fetches files is here.
const Files = lazily(() => import('./Files.tsx'))

/** The files of a message. */
export function Attachments({ message }: { message: Message }) {
  return (
    <Suspense fallback={<Places message={message} />}>
      <Files message={message} />
    </Suspense>
  )
}

function Places({ message: { attachments } }: { message: Message }) {
  const { pictures, others } = inOrder(attachments)
  return (
    <div className={styles.attachments}>
      {[...pictures, ...others].map((file) => {
        const place = placeOf(file, pictures.length === 1)
        if (!place) return <div key={file.id} className={styles.file} />
        return (
          <figure key={file.id} className={styles.figure} style={place.style}>
            <div style={{ aspectRatio: place.ratio }} />
            {place.named ? <figcaption className={styles.caption} /> : null}
          </figure>
        )
      })}
    </div>
  )
}
