import { useCallback, useState } from 'react'
import {
  fitView,
  isFitted,
  panView,
  toggleZoom,
  zoomView,
  type ZoomFrame,
  type Point,
  type View,
} from './zoom.ts'

export interface Zoom {
  /** Null until the image and its stage are measured. */
  frame: ZoomFrame | null
  view: View | null
  /** Whether the whole image is visible. */
  isWhole: boolean
  measure: (frame: ZoomFrame) => void
  zoomBy: (factor: number, toward?: Point) => void
  panBy: (by: Point) => void
  /** Toggles between the whole image and its actual size. */
  toggle: (toward?: Point) => void
  fit: () => void
}

/** Zoom and position of the image `at`; another image starts fitted. */
export function useZoom(at: number): Zoom {
  // A null view is the fitted image, whatever the size of the stage.
  const [state, setState] = useState<{ at: number; frame: ZoomFrame | null; view: View | null }>({
    at,
    frame: null,
    view: null,
  })
  const { frame, view } = state.at === at ? state : { frame: null, view: null }

  const change = useCallback(
    (next: (view: View, frame: ZoomFrame) => View) =>
      setState((now) => {
        if (now.at !== at || !now.frame) return now
        const view = next(now.view ?? fitView(now.frame), now.frame)
        return { ...now, view: isFitted(view, now.frame) ? null : view }
      }),
    [at],
  )
  return {
    frame,
    view: frame ? (view ?? fitView(frame)) : null,
    isWhole: view === null,
    measure: useCallback(
      (frame: ZoomFrame) =>
        setState((now) => {
          const view = now.at === at ? now.view : null
          return { at, frame, view: view && panView(view, frame, { x: 0, y: 0 }) }
        }),
      [at],
    ),
    zoomBy: useCallback(
      (factor: number, toward?: Point) => change((view, frame) => zoomView(view, frame, factor, toward)),
      [change],
    ),
    panBy: useCallback((by: Point) => change((view, frame) => panView(view, frame, by)), [change]),
    toggle: useCallback(
      (toward: Point = { x: 0, y: 0 }) => change((view, frame) => toggleZoom(view, frame, toward)),
      [change],
    ),
    fit: useCallback(() => change((_, frame) => fitView(frame)), [change]),
  }
}
