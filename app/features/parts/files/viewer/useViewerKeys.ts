import { useEffect, useEffectEvent } from 'react'
import { ZOOM_STEP } from './ViewerFooter.tsx'
import type { Zoom } from './useZoom.ts'
import { shortcutKey } from '../../../../ui/shortcutKey.ts'

/** Pixels by which an arrow key pans an enlarged image. */
const PAN_PX = 80

interface Options {
  at: number
  count: number
  zoom: Zoom | null
  onMove: (at: number) => void
  onDownload: () => void
  /** Plays or pauses; null if nothing can be played. */
  onPlay: (() => void) | null
}

/** Shortcuts of the viewer. Focused elements with keys of their own keep them. */
export function useViewerKeys({ at, count, zoom, onMove, onDownload, onPlay }: Options): void {
  const actionFor = (event: KeyboardEvent): (() => void) | null => {
    const { key, target } = event
    const focused =
      target instanceof Element ? target.closest('button, input, video, audio, [role=region]') : null
    const moveTo = (to: number) => () => onMove(Math.min(count - 1, Math.max(0, to)))
    const enlarged = zoom && !zoom.isWhole ? zoom : null
    const arrow = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key]
    if (arrow && enlarged) {
      const [x = 0, y = 0] = arrow
      return () => enlarged.panBy({ x: x * PAN_PX, y: y * PAN_PX })
    }
    if (focused?.matches('input, video, audio') && /^(Arrow|Home|End| )/.test(key)) return null
    if (focused?.matches('[role=region]') && /^(Home|End| )/.test(key)) return null
    switch (key) {
      case 'ArrowLeft':
      case 'PageUp':
        return focused?.matches('[role=region]') && key === 'PageUp' ? null : moveTo(at - 1)
      case 'ArrowRight':
      case 'PageDown':
        return focused?.matches('[role=region]') && key === 'PageDown' ? null : moveTo(at + 1)
      case 'Home':
        return moveTo(0)
      case 'End':
        return moveTo(count - 1)
      case '+':
      case '=':
        return zoom && (() => zoom.zoomBy(ZOOM_STEP))
      case '-':
        return zoom && (() => zoom.zoomBy(1 / ZOOM_STEP))
      case '0':
        return zoom && zoom.fit
      case ' ':
        return focused?.matches('button') ? null : onPlay
      default:
        return shortcutKey(event) === 'd' ? onDownload : null
    }
  }
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return
    const action = actionFor(event)
    if (!action) return
    event.preventDefault()
    action()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event)
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
}
