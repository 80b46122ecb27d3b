import { Suspense } from 'react'
import type { Message } from '../../../../../wire/messages.ts'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'
import { cx } from '../../../../ui/cx.ts'
import styles from './Attachments.module.css'
import { ImageGrid } from './ImageGrid.tsx'
import { isMeasured, layoutOf, MAX_TILES, type MediaLayout } from './mediaLayout.ts'

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
      <ImageGrid images={pictures} max={MAX_TILES}>
        {(file, layout) => <Placeholder key={file.id} layout={layout} />}
      </ImageGrid>
      {others.map((file) => {
        const layout = layoutOf(file)
        return layout ? (
          <Placeholder key={file.id} layout={layout} />
        ) : (
          <div key={file.id} className={styles.file} />
        )
      })}
    </div>
  )
}

function Placeholder({ layout }: { layout: MediaLayout }) {
  return (
    <figure className={cx(styles.figure, !layout.named && styles.tile)} style={layout.style}>
      <div style={{ aspectRatio: layout.ratio }} />
      {layout.named ? <figcaption className={styles.caption} /> : null}
    </figure>
  )
}
