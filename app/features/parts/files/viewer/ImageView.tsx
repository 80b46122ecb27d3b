import { i18n } from '@lingui/core'
import { useEffect, useRef, useState, type CSSProperties } from 'react'
import { useFileUrl } from '../../../../data/files/download/useFileUrl.ts'
import { cx } from '../../../../ui/cx.ts'
import { FileError } from '../attachments/FileError.tsx'
import type { ViewedFile } from './ViewedFile.ts'
import styles from './FileViewer.module.css'
import { useImageGestures } from './useImageGestures.ts'
import type { Zoom } from './useZoom.ts'

interface Props {
  shown: ViewedFile
  zoom: Zoom
  onSwipe: (by: 1 | -1) => void
  /** The full image is loaded. */
  onLoaded: () => void
  onRetry: () => void
}

/** An image that can be zoomed: its thumbnail first, then the full image in the same position. */
export function ImageView({ shown: { channelId, file }, zoom, onSwipe, onLoaded, onRetry }: Props) {
  const stage = useRef<HTMLDivElement>(null)
  const thumb = useFileUrl(channelId, file.thumb ? file.id : null, 'thumb')
  const full = useFileUrl(channelId, file.id, 'file')
  const [state, setState] = useState<'loading' | 'loaded' | 'broken'>('loading')
  // Dimensions declared by the sender, replaced by the real ones once the image is loaded.
  const [size, setSize] = useState({ width: file.width ?? 0, height: file.height ?? 0 })
  const { swipeOffset, handlers } = useImageGestures(stage, zoom, onSwipe)
  const { measure, view } = zoom

  useEffect(() => {
    const element = stage.current
    if (!element || !size.width || !size.height) return
    const observer = new ResizeObserver(() =>
      measure({ picture: size, stage: { width: element.clientWidth, height: element.clientHeight } }),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [measure, size])

  const style: CSSProperties = view
    ? {
        width: size.width * view.scale,
        height: size.height * view.scale,
        transform: `translate(-50%, -50%) translate(${view.x + swipeOffset}px, ${view.y}px)`,
      }
    : { visibility: 'hidden' }
  return (
    <div
      ref={stage}
      className={cx(styles.image, !zoom.isWhole && styles.enlarged)}
      data-pans={zoom.isWhole ? undefined : ''}
      {...handlers}
    >
      {thumb.url && state !== 'loaded' ? (
        <img src={thumb.url} alt="" style={style} draggable={false} />
      ) : null}
      {state === 'broken' || full.status === 'failed' ? (
        <FileError text={i18n._('This image couldn’t be loaded.')} onRetry={onRetry} />
      ) : full.url ? (
        <img
          src={full.url}
          alt={file.name}
          style={style}
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            if (naturalWidth && naturalHeight && naturalWidth * size.height !== naturalHeight * size.width)
              setSize({ width: naturalWidth, height: naturalHeight })
            setState('loaded')
            onLoaded()
          }}
          onError={() => setState('broken')}
        />
      ) : null}
    </div>
  )
}
