import { i18n } from '@lingui/core'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { fileKindOf } from '../../../../../wire/fileKinds.ts'
import { downloadFile, useFileUrl } from '../../../../data/files/download/useFileUrl.ts'
import { Dialog } from '../../../../ui/Dialog.tsx'
import styles from './FileViewer.module.css'
import { NoPreview } from './NoPreview.tsx'
import { PdfView } from './PdfView.tsx'
import { ImageView } from './ImageView.tsx'
import { MediaView } from './MediaView.tsx'
import type { ViewedFile } from './ViewedFile.ts'
import { TextView } from './TextView.tsx'
import { useViewerKeys } from './useViewerKeys.ts'
import { useZoom } from './useZoom.ts'
import { formatZoom, ViewerFooter } from './ViewerFooter.tsx'
import { ViewerHeader } from './ViewerHeader.tsx'

interface Props {
  files: readonly ViewedFile[]
  /** Index of the shown file. */
  at: number
  onMove: (at: number) => void
  onClose: () => void
  /** Opens the message with the file `at`; absent if the viewer was opened from there. */
  onShowInConversation?: (at: number) => void
}

/** Shows one file in the whole window, with buttons to the previous and next one. */
export default function FileViewer({ files, at, onMove, onClose, onShowInConversation }: Props) {
  const shown = files[at]
  const count = files.length
  const kind = shown ? fileKindOf(shown.file.type) : 'other'
  const media = useRef<HTMLMediaElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const [tries, setTries] = useState(0)
  const [downloadError, setDownloadError] = useState<{ at: number; sentence: string } | null>(null)
  const [loaded, setLoaded] = useState<number | null>(null)
  const imageZoom = useZoom(at)
  const zoom = kind === 'picture' ? imageZoom : null
  usePrefetchImage(loaded === at ? (files[at + 1] ?? null) : null)
  usePrefetchImage(loaded === at ? (files[at - 1] ?? null) : null)

  const move = (to: number) => {
    if (to !== at && files[to]) onMove(to)
  }
  const download = () => {
    if (!shown) return
    void downloadFile(shown.channelId, shown.file.id, shown.file.name).then((outcome) => {
      // A toast would be hidden behind the dialog.
      setDownloadError(outcome.ok ? null : { at, sentence: outcome.failure.message })
    })
  }
  const play = () => {
    const { current } = media
    if (current?.paused) current.play().catch(() => {})
    else current?.pause()
  }
  useViewerKeys({
    at,
    count,
    zoom,
    onMove: move,
    onDownload: download,
    onPlay: kind === 'video' || kind === 'audio' ? play : null,
  })
  // The dialog would focus its first button, which Space presses.
  useLayoutEffect(() => stage.current?.focus(), [])

  const positionLabel = count > 1 ? `, ${i18n._('{at} of {count}', { at: at + 1, count })}` : ''
  const announcement = useDebouncedText(
    zoom && !zoom.isWhole
      ? i18n._('Zoom {percent}', { percent: formatZoom(zoom) })
      : `${shown?.file.name ?? ''}${positionLabel}`,
  )
  if (!shown) return null
  const retry = () => setTries(tries + 1)
  const key = `${shown.file.id} ${tries}`
  return (
    <Dialog title={`${shown.file.name}${positionLabel}`} bare className={styles.viewer} onClose={onClose}>
      <ViewerHeader
        shown={shown}
        onShowInConversation={onShowInConversation ? () => onShowInConversation(at) : null}
        onDownload={download}
        onClose={onClose}
      />
      {downloadError?.at === at ? (
        <p className={styles.error} role="alert">
          {downloadError.sentence}
        </p>
      ) : null}
      <div ref={stage} className={styles.stage} tabIndex={-1}>
        {kind === 'picture' ? (
          <ImageView
            key={key}
            shown={shown}
            zoom={imageZoom}
            onSwipe={(by) => move(at + by)}
            onLoaded={() => setLoaded(at)}
            onRetry={retry}
          />
        ) : kind === 'video' || kind === 'audio' ? (
          <MediaView key={key} shown={shown} kind={kind} media={media} onRetry={retry} />
        ) : kind === 'pdf' ? (
          <PdfView key={key} shown={shown} onDownload={download} onRetry={retry} />
        ) : kind === 'text' ? (
          <TextView key={key} shown={shown} onRetry={retry} />
        ) : (
          <NoPreview
            file={shown.file}
            text={i18n._('No preview for this file type. Download the file to open it.')}
            onDownload={download}
          />
        )}
      </div>
      <ViewerFooter at={at} count={count} onMove={move} zoom={zoom} />
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </Dialog>
  )
}

/** The text once it has not changed for a moment, and nothing at first: a wheel would announce each step. */
function useDebouncedText(text: string): string {
  const [first] = useState(text)
  const [debounced, setDebounced] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), 400)
    return () => clearTimeout(timer)
  }, [text])
  // The first text is the title of the dialog, which is read as it opens.
  return debounced === first && text === first ? '' : debounced
}

/** Larger images are fetched when they are opened. */
const MAX_BYTES = 4_000_000

/** Prefetches an adjacent file if it is an image of limited size; null fetches nothing. */
function usePrefetchImage(shown: ViewedFile | null): void {
  const file =
    shown && fileKindOf(shown.file.type) === 'picture' && shown.file.size <= MAX_BYTES ? shown.file : null
  const { url } = useFileUrl(shown?.channelId ?? '', file?.id ?? null, 'file')
  useEffect(() => {
    if (!url) return
    const picture = new Image()
    picture.src = url
    return () => {
      picture.src = ''
    }
  }, [url])
}
