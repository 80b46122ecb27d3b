import { i18n } from '@lingui/core'
import { useState, type RefObject } from 'react'
import { useFileUrl } from '../../../../data/files/download/useFileUrl.ts'
import { useDelayed } from '../../../../ui/useDelayed.ts'
import { FileError } from '../attachments/FileError.tsx'
import { playExclusively } from '../playback/playExclusively.ts'
import type { ViewedFile } from './ViewedFile.ts'
import styles from './FileViewer.module.css'

interface Props {
  shown: ViewedFile
  kind: 'video' | 'audio'
  media: RefObject<HTMLMediaElement | null>
  onRetry: () => void
}

/** A video or audio file with the browser's own controls. */
export function MediaView({ shown: { channelId, file }, kind, media, onRetry }: Props) {
  const { url, status } = useFileUrl(channelId, file.id, 'file')
  const [broken, setBroken] = useState(false)
  const waiting = useDelayed(status === 'loading')
  if (broken || status === 'failed') {
    const text =
      kind === 'video'
        ? i18n._('This video can’t be played here.')
        : i18n._('This audio can’t be played here.')
    return <FileError text={text} onRetry={onRetry} />
  }
  if (!url) return waiting ? <p className={styles.muted}>{i18n._('Loading…')}</p> : null
  const Element = kind
  return (
    <Element
      ref={media as RefObject<HTMLVideoElement & HTMLAudioElement>}
      src={url}
      controls
      playsInline={kind === 'video' || undefined}
      preload="metadata"
      className={styles[kind]}
      aria-label={file.name}
      onPlay={(event) => playExclusively(event.currentTarget)}
      onError={() => setBroken(true)}
    />
  )
}
