import { useCallback, useState } from 'react'
import { fitted, isFitted, panned, toggled, zoomed, type Place, type Point, type View } from './zoom.ts'

export interface Zoom {
  /** Null until the picture and its stage are measured. */
  place: Place | null
  view: View | null
  /** The whole picture is seen. */
  whole: boolean
  measure: (place: Place) => void
  zoomBy: (factor: number, toward?: Point) => void
  panBy: (by: Point) => void
  /** Between the whole picture and its own size. */
  toggle: (toward?: Point) => void
  fit: () => void
}

/** How the picture `at` lies on its stage; another picture begins whole. */
export function useZoom(at: number): Zoom {
  // A null view is the whole picture, however large the stage becomes.
  const [held, setHeld] = useState<{ at: number; place: Place | null; view: View | null }>({
    at,
    place: null,
    view: null,
  })
  const { place, view } = held.at === at ? held : { place: null, view: null }

  const change = useCallback(
    (next: (view: View, place: Place) => View) =>
      setHeld((now) => {
        if (now.at !== at || !now.place) return now
        const view = next(now.view ?? fitted(now.place), now.place)
        return { ...now, view: isFitted(view, now.place) ? null : view }
      }),
    [at],
  )
  return {
    place,
    view: place ? (view ?? fitted(place)) : null,
    whole: view === null,
    measure: useCallback(
      (place: Place) =>
        setHeld((now) => {
          const view = now.at === at ? now.view : null
          return { at, place, view: view && panned(view, place, { x: 0, y: 0 }) }
        }),
      [at],
    ),
    zoomBy: useCallback(
      (factor: number, toward?: Point) => change((view, place) => zoomed(view, place, factor, toward)),
      [change],
    ),
    panBy: useCallback((by: Point) => change((view, place) => panned(view, place, by)), [change]),
    toggle: useCallback(
      (toward: Point = { x: 0, y: 0 }) => change((view, place) => toggled(view, place, toward)),
      [change],
    ),
    fit: useCallback(() => change((_, place) => fitted(place)), [change]),
  }
}
