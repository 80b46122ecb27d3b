import { Suspense } from 'react'
import type { Message } from '../../../../../wire/messages.ts'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'
import styles from './Attachments.module.css'
import { isMeasured, layoutOf } from './mediaLayout.ts'

// Text is rendered first. Placeholders reserve the space of files until the code that fetches them is loaded.
const AttachmentsContent = lazyComponent(load)

/**
 * Loads the component, and retries after a failure. Without a retry the message would lack its files until it is
 * rendered again.
 */
function load(): Promise<typeof import('./AttachmentsContent.tsx')> {
  return import('./AttachmentsContent.tsx').catch(async () => {
    await new Promise((resolve) => {
      addEventListener('online', resolve, { once: true })
      setTimeout(resolve, 20_000)
    })
    return load()
  })
}

/** The files of a message. */
export function Attachments({ message }: { message: Message }) {
  return (
    <Suspense fallback={<Placeholders message={message} />}>
      <AttachmentsContent message={message} />
    </Suspense>
  )
}

function Placeholders({ message: { attachments } }: { message: Message }) {
  const pictures = attachments.filter(isMeasured)
  const others = attachments.filter((file) => !isMeasured(file))
  return (
    <div className={styles.attachments}>
      {[...pictures, ...others].map((file) => {
        const layout = layoutOf(file, pictures.length === 1)
        if (!layout) return <div key={file.id} className={styles.file} />
        return (
          <figure key={file.id} className={styles.figure} style={layout.style}>
            <div style={{ aspectRatio: layout.ratio }} />
            {layout.named ? <figcaption className={styles.caption} /> : null}
          </figure>
        )
      })}
    </div>
  )
}
