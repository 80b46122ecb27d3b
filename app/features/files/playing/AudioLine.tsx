import { i18n } from '@lingui/core'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import { useEffect, useRef, useState } from 'react'
import { Icon } from '../../../ui/Icon.tsx'
import { cx } from '../../../ui/cx.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { sizeOf } from '../../../ui/size.ts'
import { Download } from '../../message/icons.ts'
import styles from '../shown/Attachments.module.css'
import line from '../shown/FileLine.module.css'
import { clockOf } from './clockOf.ts'
import { Failed } from '../shown/Failed.tsx'
import type { FileProps } from '../shown/PlainLine.tsx'
import { FileName } from '../names/FileName.tsx'
import { playAlone } from './playAlone.ts'
import { useSave } from '../shown/useSave.ts'
import { useStream } from './useStream.ts'

/** Seconds that an arrow key goes at most; in a short sound a twentieth of it. */
const STEP = 5

/** Sound in a message: plays, pauses, and goes to any place of it. */
export function AudioLine({ channelId, file, onShow, onAgain }: FileProps & { onAgain: () => void }) {
  const { name } = file
  const row = useRef<HTMLDivElement>(null)
  const audio = useRef<HTMLAudioElement>(null)
  const [wanted, setWanted] = useState(false)
  const [playing, setPlaying] = useState(false)
  const [broken, setBroken] = useState(false)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(Number.NaN)
  const { url, status } = useStream(channelId, file.id, row, wanted)
  const save = useSave(channelId, file)
  const known = Number.isFinite(length) && length > 0

  // Pressed before it was here: the press is answered now.
  useEffect(() => {
    if (wanted && url) audio.current?.play().catch(() => {})
  }, [wanted, url])

  const seek = (to: number) => {
    if (audio.current) audio.current.currentTime = to
    setAt(to)
  }
  const press = () => {
    const sound = audio.current
    if (!sound) setWanted(true)
    else if (sound.paused) sound.play().catch(() => {})
    else sound.pause()
  }
  return (
    <div ref={row} className={cx(styles.file, line.sound)}>
      <IconButton
        label={playing ? i18n._('Pause {name}', { name }) : i18n._('Play {name}', { name })}
        icon={<Icon of={playing ? Pause : Play} size={20} />}
        className={line.play}
        aria-busy={wanted && !url ? true : undefined}
        onClick={press}
      />
      <span className={styles.words}>
        <button
          type="button"
          className={line.named}
          aria-label={i18n._('Show {name}', { name })}
          onClick={onShow}
        >
          <FileName name={name} />
        </button>
        {broken || status === 'failed' ? (
          <Failed words={i18n._('This audio can’t be played here.')} onAgain={onAgain} />
        ) : (
          <span className={line.track}>
            <input
              type="range"
              className={line.seek}
              min={0}
              max={known ? length : 1}
              step="any"
              value={known ? at : 0}
              disabled={!known}
              aria-label={i18n._('Playback position in {name}', { name })}
              aria-valuetext={i18n._('{at} of {length}', { at: clockOf(at), length: clockOf(length) })}
              onChange={(event) => seek(event.currentTarget.valueAsNumber)}
              onKeyDown={(event) => {
                const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key]
                if (!way) return
                event.preventDefault()
                seek(Math.min(length, Math.max(0, at + way * Math.min(STEP, length / 20))))
              }}
            />
            <span className={styles.size}>
              {playing || at > 0 ? clockOf(at) : known ? clockOf(length) : sizeOf(file.size)}
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
            playAlone(event.currentTarget)
            setPlaying(true)
          }}
          onPause={() => setPlaying(false)}
          onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
          onDurationChange={(event) => setLength(event.currentTarget.duration)}
          onEnded={() => setAt(0)}
          onError={() => setBroken(true)}
        />
      ) : null}
      <IconButton
        label={i18n._('Download {name}', { name })}
        icon={<Icon of={Download} size={20} />}
        className={line.deed}
        onClick={save}
      />
    </div>
  )
}
