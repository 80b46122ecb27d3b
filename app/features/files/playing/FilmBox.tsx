import { i18n } from '@lingui/core'
import Play from 'lucide-react/icons/play'
import { useRef, useState } from 'react'
import { useFileUrl } from '../../../data/files/download/files.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useDelayed } from '../../../ui/useDelayed.ts'
import { sizeOf } from '../../../ui/size.ts'
import { Download } from '../../message/icons.ts'
import styles from '../shown/Attachments.module.css'
import line from '../shown/FileLine.module.css'
import { Failed } from '../shown/Failed.tsx'
import type { FileProps } from '../shown/PlainLine.tsx'
import { FileName } from '../names/FileName.tsx'
import { filmBox } from '../shown/pictureBox.ts'
import { playAlone } from './playAlone.ts'
import { useSave } from '../shown/useSave.ts'
import { useStream } from './useStream.ts'

/** A film in a message, with the browser's own controls, in a place kept for it. It never plays by itself. */
export function FilmBox({ channelId, file, onShow, onAgain }: FileProps & { onAgain: () => void }) {
  const { name } = file
  const figure = useRef<HTMLElement>(null)
  const [wanted, setWanted] = useState(false)
  const [broken, setBroken] = useState(false)
  const { url, status } = useStream(channelId, file.id, figure, wanted)
  const poster = useFileUrl(channelId, file.thumb ? file.id : null, 'thumb').url
  const waiting = useDelayed(wanted && !url)
  const save = useSave(channelId, file)
  const { width, height } = filmBox(file)
  return (
    <figure ref={figure} className={styles.figure} style={{ width }}>
      <div className={line.film} style={{ aspectRatio: `${width} / ${height}` }}>
        {broken || status === 'failed' ? (
          <Failed words={i18n._('This video can’t be played here.')} onAgain={onAgain} />
        ) : url ? (
          <video
            src={url}
            poster={poster ?? undefined}
            controls
            playsInline
            // Pressed before it was here: the press is answered now.
            autoPlay={wanted}
            preload="metadata"
            aria-label={name}
            onPlay={(event) => playAlone(event.currentTarget)}
            onError={() => setBroken(true)}
          />
        ) : (
          <>
            {poster ? <img src={poster} alt="" draggable={false} /> : null}
            {waiting ? (
              <span className={line.soft} role="status">
                {i18n._('Loading…')}
              </span>
            ) : wanted ? null : (
              <button
                type="button"
                className={line.start}
                aria-label={i18n._('Play {name}', { name })}
                onClick={() => setWanted(true)}
              >
                <Icon of={Play} size={20} />
              </button>
            )}
          </>
        )}
      </div>
      <figcaption className={styles.caption}>
        <button
          type="button"
          className={line.named}
          aria-label={i18n._('Show {name}', { name })}
          onClick={onShow}
        >
          <FileName name={name} />
        </button>
        <span className={styles.size}>{sizeOf(file.size)}</span>
        <IconButton
          label={i18n._('Download {name}', { name })}
          icon={<Icon of={Download} />}
          className={line.small}
          onClick={save}
        />
      </figcaption>
    </figure>
  )
}
