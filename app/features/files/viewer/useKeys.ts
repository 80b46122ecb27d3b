import { useEffect, useEffectEvent } from 'react'
import { STEP } from './ViewerFoot.tsx'
import type { Zoom } from './useZoom.ts'

/** Pixels an arrow key moves a picture that is drawn near. */
const PAN = 80

interface Reach {
  at: number
  count: number
  zoom: Zoom | null
  onMove: (at: number) => void
  onSave: () => void
  /** Plays or pauses; null where nothing plays. */
  onPlay: (() => void) | null
}

/** The keys of the viewer, wherever in it the focus is; what has keys of its own keeps them. */
export function useKeys({ at, count, zoom, onMove, onSave, onPlay }: Reach): void {
  const deedOf = ({ key, target }: KeyboardEvent): (() => void) | null => {
    const own =
      target instanceof Element ? target.closest('button, input, video, audio, [role=region]') : null
    const walk = (to: number) => () => onMove(Math.min(count - 1, Math.max(0, to)))
    const near = zoom && !zoom.whole ? zoom : null
    const arrow = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key]
    if (arrow && near) {
      const [x = 0, y = 0] = arrow
      return () => near.panBy({ x: x * PAN, y: y * PAN })
    }
    if (own?.matches('input, video, audio') && /^(Arrow|Home|End| )/.test(key)) return null
    if (own?.matches('[role=region]') && /^(Home|End| )/.test(key)) return null
    switch (key) {
      case 'ArrowLeft':
      case 'PageUp':
        return own?.matches('[role=region]') && key === 'PageUp' ? null : walk(at - 1)
      case 'ArrowRight':
      case 'PageDown':
        return own?.matches('[role=region]') && key === 'PageDown' ? null : walk(at + 1)
      case 'Home':
        return walk(0)
      case 'End':
        return walk(count - 1)
      case '+':
      case '=':
        return zoom && (() => zoom.zoomBy(STEP))
      case '-':
        return zoom && (() => zoom.zoomBy(1 / STEP))
      case '0':
        return zoom && zoom.fit
      case ' ':
        return own?.matches('button') ? null : onPlay
      case 'd':
      case 'D':
        return onSave
      default:
        return null
    }
  }
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return
    const deed = deedOf(event)
    if (!deed) return
    event.preventDefault()
    deed()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => pressed(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
