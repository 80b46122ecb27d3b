import type { ReactNode } from 'react'
import type { Attachment } from '../../../../../wire/files.ts'
import styles from './Attachments.module.css'
import { gridStyle, layoutOf, tileLayout, type MediaLayout } from './mediaLayout.ts'

interface Props<File> {
  images: readonly File[]
  /** Images that are shown at most. */
  max?: number
  children: (image: File, layout: MediaLayout, index: number) => ReactNode
}

/** The images of a message above its other files: one in its own proportions, several as a grid of tiles. */
export function ImageGrid<File extends Pick<Attachment, 'type' | 'width' | 'height' | 'size'>>({
  images,
  max = images.length,
  children,
}: Props<File>) {
  const shown = images.slice(0, max)
  const [first] = shown
  if (!first) return null
  const only = shown.length === 1 ? layoutOf(first) : null
  return (
    <div className={styles.images} style={only ? undefined : gridStyle(shown)}>
      {shown.map((image, index) => children(image, only ?? tileLayout(index, shown.length), index))}
    </div>
  )
}
