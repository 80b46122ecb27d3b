import { i18n } from '@lingui/core'
import { formatDuration } from './formatDuration.ts'

/** Maximum step of an arrow key in seconds; for short audio a twentieth of its length. */
const MAX_STEP_S = 5

interface Props {
  label: string
  className: string | undefined
  /** The position in seconds. */
  at: number
  /** The length in seconds; NaN until it is known. */
  length: number
  onSeek: (to: number) => void
}

/** The position of playback, which the reader can change. */
export function SeekSlider({ label, className, at, length, onSeek }: Props) {
  const hasLength = Number.isFinite(length) && length > 0
  return (
    <input
      type="range"
      className={className}
      min={0}
      max={hasLength ? length : 1}
      step="any"
      value={hasLength ? at : 0}
      disabled={!hasLength}
      aria-label={label}
      aria-valuetext={i18n._('{at} of {length}', {
        at: formatDuration(at),
        length: formatDuration(length),
      })}
      onChange={(event) => onSeek(event.currentTarget.valueAsNumber)}
      onKeyDown={(event) => {
        const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key]
        if (!direction) return
        event.preventDefault()
        onSeek(Math.min(length, Math.max(0, at + direction * Math.min(MAX_STEP_S, length / 20))))
      }}
    />
  )
}
