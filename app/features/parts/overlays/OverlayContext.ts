import { createContext, use } from 'react'

/**
 * A function that loads the component of each dialog and popover, by its kind. `OverlayContent` adds those of all directories, so
 * that other modules open them without importing them.
 */
export interface Overlays {}

/** What the component of an overlay needs besides `onClose`. */
type PropsOf<Load> = Load extends () => Promise<{ default: (props: infer P) => void }>
  ? Omit<P, 'onClose' | 'typed'>
  : never

/** A dialog or popover over the page, with its props. One is open at a time. */
export type Overlay = { [K in keyof Overlays]: { kind: K } & PropsOf<Overlays[K]> }[keyof Overlays]

/** The maximum number of characters that are stored while an overlay loads. */
const MAX_TYPED = 100

/** The text that is typed before the field of an overlay has the focus. */
export interface TypedAhead {
  overlay: Overlay | null
  text: () => string
  /** Sets the text. Characters after the first 100 are ignored. */
  set: (text: string) => void
}

/** Creates the storage of the keys that are typed while an overlay loads. */
export function createTypedAhead(overlay: Overlay | null): TypedAhead {
  let text = ''
  return {
    overlay,
    text: () => text,
    set: (next) => {
      text = next.slice(0, MAX_TYPED)
    },
  }
}

/** Provides the function that opens an overlay. */
export const OverlayContext = createContext<(overlay: Overlay | null) => void>(() => {})

/** Opens an overlay; null closes it. */
export function useOverlay(): (overlay: Overlay | null) => void {
  return use(OverlayContext)
}
