import { i18n } from '@lingui/core'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import { useEffect, useRef, useState } from 'react'
import { Icon } from '../../../../ui/Icon.tsx'
import { cx } from '../../../../ui/cx.ts'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import styles from '../attachments/Attachments.module.css'
import fileStyles from '../attachments/FileAttachment.module.css'
import { formatDuration } from './formatDuration.ts'
import { DownloadButton } from '../attachments/DownloadButton.tsx'
import { FileError } from '../attachments/FileError.tsx'
import type { FileProps } from '../attachments/FileRow.tsx'
import { FileNameButton } from '../names/FileNameButton.tsx'
import { playExclusively } from './playExclusively.ts'
import { SeekSlider } from './SeekSlider.tsx'
import { useMediaUrl } from './useMediaUrl.ts'

/** A player for audio in a message: play, pause and seek. */
export function AudioPlayer({ channelId, file, onShow, onRetry }: FileProps & { onRetry: () => void }) {
  const { name } = file
  const row = useRef<HTMLDivElement>(null)
  const audio = useRef<HTMLAudioElement>(null)
  const [isRequested, setRequested] = useState(false)
  const [playing, setPlaying] = useState(false)
  const [broken, setBroken] = useState(false)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(Number.NaN)
  const { url, status } = useMediaUrl(channelId, file.id, row, isRequested)
  const hasLength = Number.isFinite(length) && length > 0

  // Play was pressed before the file was loaded.
  useEffect(() => {
    if (isRequested && url) audio.current?.play().catch(() => {})
  }, [isRequested, url])

  const seek = (to: number) => {
    if (audio.current) audio.current.currentTime = to
    setAt(to)
  }
  const togglePlayback = () => {
    const element = audio.current
    if (!element) setRequested(true)
    else if (element.paused) element.play().catch(() => {})
    else element.pause()
  }
  return (
    <div ref={row} className={cx(styles.file, fileStyles.audio)}>
      <IconButton
        label={playing ? i18n._('Pause {name}', { name }) : i18n._('Play {name}', { name })}
        icon={<Icon of={playing ? Pause : Play} size={20} />}
        className={fileStyles.play}
        aria-busy={isRequested && !url ? true : undefined}
        onClick={togglePlayback}
      />
      <span className={styles.details}>
        <FileNameButton name={name} onShow={onShow} />
        {broken || status === 'failed' ? (
          <FileError text={i18n._('This audio can’t be played here.')} onRetry={onRetry} />
        ) : (
          <span className={fileStyles.track}>
            <SeekSlider
              label={i18n._('Playback position in {name}', { name })}
              className={fileStyles.seek}
              at={at}
              length={length}
              onSeek={seek}
            />
            <span className={styles.size}>
              {playing || at > 0
                ? formatDuration(at)
                : hasLength
                  ? formatDuration(length)
                  : formatBytes(file.size)}
            </span>
          </span>
        )}
      </span>
      {url ? (
        <audio
          ref={audio}
          src={url}
          preload="metadata"
          onPlay={(event) => {
            playExclusively(event.currentTarget)
            setPlaying(true)
          }}
          onPause={() => setPlaying(false)}
          onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
          onDurationChange={(event) => setLength(event.currentTarget.duration)}
          onEnded={() => setAt(0)}
          onError={() => setBroken(true)}
        />
      ) : null}
      <DownloadButton channelId={channelId} file={file} />
    </div>
  )
}
