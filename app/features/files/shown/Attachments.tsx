import { Suspense } from 'react'
import type { Message } from '../../../../wire/linnet.ts'
import { lazily } from '../../../ui/lazily.tsx'
import styles from './Attachments.module.css'
import { isMeasured, placeOf } from './pictureBox.ts'

// Words come first. The places of files are kept until what draws and fetches them is here.
const Files = lazily(load)

/** Without a connection it is asked for again: else a message would lose its files until it is drawn anew. */
function load(): Promise<typeof import('./Files.tsx')> {
  return import('./Files.tsx').catch(async () => {
    await new Promise((again) => {
      addEventListener('online', again, { once: true })
      setTimeout(again, 20_000)
    })
    return load()
  })
}

/** The files of a message. */
export function Attachments({ message }: { message: Message }) {
  return (
    <Suspense fallback={<Places message={message} />}>
      <Files message={message} />
    </Suspense>
  )
}

function Places({ message: { attachments } }: { message: Message }) {
  const pictures = attachments.filter(isMeasured)
  const others = attachments.filter((file) => !isMeasured(file))
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
