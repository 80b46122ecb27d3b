import { i18n } from '@lingui/core'
import { useState, type RefObject } from 'react'
import { useFileUrl } from '../../../data/files/download/files.ts'
import { useDelayed } from '../../../ui/useDelayed.ts'
import { Failed } from '../shown/Failed.tsx'
import { playAlone } from '../playing/playAlone.ts'
import type { ShownFile } from './ShownFile.ts'
import styles from './FileViewer.module.css'

interface Props {
  shown: ShownFile
  kind: 'video' | 'audio'
  media: RefObject<HTMLMediaElement | null>
  onAgain: () => void
}

/** A film or sound, as large as there is room, with the browser's own controls. */
export function Player({ shown: { channelId, file }, kind, media, onAgain }: Props) {
  const { url, status } = useFileUrl(channelId, file.id, 'file')
  const [broken, setBroken] = useState(false)
  const waiting = useDelayed(status === 'loading')
  if (broken || status === 'failed') {
    const words =
      kind === 'video'
        ? i18n._('This video can’t be played here.')
        : i18n._('This audio can’t be played here.')
    return <Failed words={words} onAgain={onAgain} />
  }
  if (!url) return waiting ? <p className={styles.soft}>{i18n._('Loading…')}</p> : null
  const Kind = kind
  return (
    <Kind
      ref={media as RefObject<HTMLVideoElement & HTMLAudioElement>}
      src={url}
      controls
      playsInline={kind === 'video' || undefined}
      preload="metadata"
      className={styles[kind]}
      aria-label={file.name}
      onPlay={(event) => playAlone(event.currentTarget)}
      onError={() => setBroken(true)}
    />
  )
}
