import { i18n } from '@lingui/core'
import { useEffect, useRef, useState, type CSSProperties } from 'react'
import { useFileUrl } from '../../../data/files/download/files.ts'
import { cx } from '../../../ui/cx.ts'
import { Failed } from '../shown/Failed.tsx'
import type { ShownFile } from './ShownFile.ts'
import styles from './FileViewer.module.css'
import { useHands } from './useHands.ts'
import type { Zoom } from './useZoom.ts'

interface Props {
  shown: ShownFile
  zoom: Zoom
  onSwipe: (by: 1 | -1) => void
  /** All of it is here. */
  onLoaded: () => void
  onAgain: () => void
}

/** A picture that can be drawn near: its thumbnail at once, all of it in the same place when it is here. */
export function PictureStage({ shown: { channelId, file }, zoom, onSwipe, onLoaded, onAgain }: Props) {
  const stage = useRef<HTMLDivElement>(null)
  const thumb = useFileUrl(channelId, file.thumb ? file.id : null, 'thumb')
  const full = useFileUrl(channelId, file.id, 'file')
  const [state, setState] = useState<'loading' | 'loaded' | 'broken'>('loading')
  // What it says of its own size counts, once it is here; before, what its sender said.
  const [size, setSize] = useState({ width: file.width ?? 0, height: file.height ?? 0 })
  const { aside, on } = useHands(stage, zoom, onSwipe)
  const { measure, view } = zoom

  useEffect(() => {
    const element = stage.current
    if (!element || !size.width || !size.height) return
    const watch = new ResizeObserver(() =>
      measure({ picture: size, stage: { width: element.clientWidth, height: element.clientHeight } }),
    )
    watch.observe(element)
    return () => watch.disconnect()
  }, [measure, size])

  const lying: CSSProperties = view
    ? {
        width: size.width * view.scale,
        height: size.height * view.scale,
        transform: `translate(-50%, -50%) translate(${view.x + aside}px, ${view.y}px)`,
      }
    : { visibility: 'hidden' }
  return (
    <div ref={stage} className={cx(styles.picture, !zoom.whole && styles.near)} {...on}>
      {thumb.url && state !== 'loaded' ? (
        <img src={thumb.url} alt="" style={lying} draggable={false} />
      ) : null}
      {state === 'broken' || full.status === 'failed' ? (
        <Failed words={i18n._('This image couldn’t be loaded.')} onAgain={onAgain} />
      ) : full.url ? (
        <img
          src={full.url}
          alt={file.name}
          style={lying}
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
