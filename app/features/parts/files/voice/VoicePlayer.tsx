import { i18n } from '@lingui/core'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import { useEffect, useRef, useState, type SyntheticEvent } from 'react'
import type { MessageExtras } from '../../../../../wire/messages.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { formatDuration } from '../playback/formatDuration.ts'
import { SeekSlider } from '../playback/SeekSlider.tsx'
import { playExclusively } from '../playback/playExclusively.ts'
import { useDevicePreference } from '../../../../data/hooks/useDevicePreference.ts'
import styles from './VoicePlayer.module.css'

/** Later than any recording ends. */
const AFTER_END_S = 1e7

interface Props {
  /** "Voice message from Bea": names the controls. */
  label: string
  voice: NonNullable<MessageExtras['voice']>
  /** Null until it is fetched. */
  url: string | null
  /** The recording is needed to play it or to seek. */
  onRequest?: () => void
  onError?: () => void
}

const RATES = [1, 1.5, 2]

/** Plays a recording: waveform, position, rate. One recording plays at a time. */
export function VoicePlayer({ label, voice, url, onRequest, onError }: Props) {
  const audio = useRef<HTMLAudioElement>(null)
  const [isRequested, setRequested] = useState(false)
  const [playing, setPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const [rate, setRate] = useDevicePreference('playbackRate')
  const length = voice.duration_ms / 1000
  const position = Math.min(at, length)

  const [isReady, setReady] = useState(false)

  useEffect(() => {
    if (audio.current) audio.current.playbackRate = rate
  }, [rate])

  // Play was pressed before the recording was fetched.
  useEffect(() => {
    if (isRequested && isReady) audio.current?.play().catch(() => {})
  }, [isRequested, isReady])

  /** Recordings of Chromium have no duration and can't be sought before the browser has been at their end. */
  const prepare = (event: SyntheticEvent<HTMLAudioElement>) => {
    const element = event.currentTarget
    if (!Number.isFinite(element.duration)) element.currentTime = AFTER_END_S
    else if (!isReady) {
      element.currentTime = at
      setReady(true)
    }
  }
  const seek = (to: number) => {
    const next = Math.min(length, Math.max(0, to))
    if (audio.current && isReady) audio.current.currentTime = next
    setAt(next)
  }
  const toggle = () => {
    const element = audio.current
    if (!element || !isReady) {
      setRequested(true)
      onRequest?.()
    } else if (element.paused) element.play().catch(() => {})
    else element.pause()
  }
  return (
    <div className={styles.player} role="group" aria-label={label}>
      <IconButton
        label={playing ? i18n._('Pause') : i18n._('Play')}
        icon={<Icon of={playing ? Pause : Play} size={20} />}
        className={styles.play}
        aria-busy={isRequested && !url ? true : undefined}
        onClick={toggle}
      />
      <span className={styles.track}>
        <span className={styles.bars} aria-hidden>
          {voice.waveform.map((amplitude, index) => (
            <span
              // oxlint-disable-next-line react/no-array-index-key -- a waveform never changes
              key={index}
              className={styles.bar}
              data-played={(index + 0.5) / voice.waveform.length <= position / length || undefined}
              style={{ height: `${Math.max(6, amplitude)}%` }}
            />
          ))}
        </span>
        <SeekSlider
          label={i18n._('Playback position')}
          className={styles.seek}
          at={position}
          length={length}
          onSeek={seek}
        />
      </span>
      <span className={styles.time}>{formatDuration(playing || at > 0 ? position : length)}</span>
      <button
        type="button"
        className={styles.rate}
        aria-label={i18n._('Playback speed: {rate}×', { rate })}
        onClick={() => setRate(RATES[(RATES.indexOf(rate) + 1) % RATES.length] ?? 1)}
      >
        {i18n._('{rate}×', { rate })}
      </button>
      {url ? (
        <audio
          ref={audio}
          src={url}
          preload="auto"
          onLoadedMetadata={prepare}
          onDurationChange={prepare}
          onTimeUpdate={(event) => {
            if (isReady) setAt(event.currentTarget.currentTime)
          }}
          onPlay={(event) => {
            playExclusively(event.currentTarget)
            event.currentTarget.playbackRate = rate
            setPlaying(true)
          }}
          onPause={() => setPlaying(false)}
          onEnded={() => {
            setPlaying(false)
            setAt(0)
          }}
          onError={onError}
        />
      ) : null}
    </div>
  )
}
