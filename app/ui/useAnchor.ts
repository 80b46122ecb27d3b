import { useCallback, useRef, useState, type RefObject } from 'react'

interface Anchor {
  /** Of the button that opens the layer. */
  ref: RefObject<HTMLButtonElement | null>
  /** The button while the layer is open; null: it is closed. */
  anchor: HTMLElement | null
  open: () => void
  close: () => void
}

/** The state of a layer (a menu or a picker) beside its button. `onOpen` is called when it opens or closes. */
export function useAnchor(onOpen?: (open: boolean) => void): Anchor {
  const ref = useRef<HTMLButtonElement>(null)
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const open = useCallback(() => {
    setAnchor(ref.current)
    onOpen?.(true)
  }, [onOpen])
  const close = useCallback(() => {
    setAnchor(null)
    onOpen?.(false)
  }, [onOpen])
  return { ref, anchor, open, close }
}
