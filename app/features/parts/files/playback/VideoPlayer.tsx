import { i18n } from '@lingui/core'
import Play from 'lucide-react/icons/play'
import { useRef, useState } from 'react'
import { useFileUrl } from '../../../../data/files/download/useFileUrl.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { useDelayed } from '../../../../ui/useDelayed.ts'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import { Download } from '../../icons.ts'
import styles from '../attachments/Attachments.module.css'
import fileStyles from '../attachments/FileAttachment.module.css'
import { FileError } from '../attachments/FileError.tsx'
import type { FileProps } from '../attachments/FileRow.tsx'
import { FileNameButton } from '../names/FileNameButton.tsx'
import { videoSize } from '../attachments/mediaLayout.ts'
import { playExclusively } from './playExclusively.ts'
import { useDownload } from '../attachments/useDownload.ts'
import { useMediaUrl } from './useMediaUrl.ts'

/** A video in a message with the browser's own controls. It never plays automatically. */
export function VideoPlayer({ channelId, file, onShow, onRetry }: FileProps & { onRetry: () => void }) {
  const { name } = file
  const figure = useRef<HTMLElement>(null)
  const [isRequested, setRequested] = useState(false)
  const [broken, setBroken] = useState(false)
  const { url, status } = useMediaUrl(channelId, file.id, figure, isRequested)
  const poster = useFileUrl(channelId, file.thumb ? file.id : null, 'thumb').url
  const waiting = useDelayed(isRequested && !url)
  const download = useDownload(channelId, file)
  const { width, height } = videoSize(file)
  return (
    <figure ref={figure} className={styles.figure} style={{ width }}>
      <div className={fileStyles.video} style={{ aspectRatio: `${width} / ${height}` }}>
        {broken || status === 'failed' ? (
          <FileError text={i18n._('This video can’t be played here.')} onRetry={onRetry} />
        ) : url ? (
          <video
            src={url}
            poster={poster ?? undefined}
            controls
            playsInline
            // Play was pressed before the file was loaded.
            autoPlay={isRequested}
            preload="metadata"
            aria-label={name}
            onPlay={(event) => playExclusively(event.currentTarget)}
            onError={() => setBroken(true)}
          />
        ) : (
          <>
            {poster ? <img src={poster} alt="" draggable={false} /> : null}
            {waiting ? (
              <span className="note" role="status">
                {i18n._('Loading…')}
              </span>
            ) : isRequested ? null : (
              <button
                type="button"
                className={fileStyles.start}
                aria-label={i18n._('Play {name}', { name })}
                onClick={() => setRequested(true)}
              >
                <Icon of={Play} size={20} />
              </button>
            )}
          </>
        )}
      </div>
      <figcaption className={styles.caption}>
        <FileNameButton name={name} onShow={onShow} />
        <span className={styles.size}>{formatBytes(file.size)}</span>
        <IconButton
          label={i18n._('Download {name}', { name })}
          icon={<Icon of={Download} />}
          className={fileStyles.small}
          onClick={download}
        />
      </figcaption>
    </figure>
  )
}
