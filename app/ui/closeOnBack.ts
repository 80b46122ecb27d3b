interface HistoryState {
  overlay?: boolean
}

/** Close functions of the open overlays, the topmost last. */
const open: (() => void)[] = []
let isListening = false

const isOverlayEntry = () => (history.state as HistoryState | null)?.overlay === true

function pushEntry(): void {
  if (!isOverlayEntry()) history.pushState({ ...(history.state as HistoryState | null), overlay: true }, '')
}

function onPopState(): void {
  if (isOverlayEntry()) {
    // No overlay is open for this entry: a link in an overlay led on from here, or "forward" led here again.
    if (open.length === 0) history.back()
    return
  }
  open.at(-1)?.()
  if (open.length > 1) pushEntry()
}

/**
 * Adds an entry to the browser's history while an overlay is open, so that "back" closes the overlay and stays on the
 * page. All overlays that are open share one entry. Returns the function to call when the overlay has closed.
 */
export function closeOnBack(close: () => void): () => void {
  if (!isListening) addEventListener('popstate', onPopState)
  isListening = true
  open.push(close)
  pushEntry()
  return () => {
    open.splice(open.lastIndexOf(close), 1)
    // Delayed: an overlay that replaces this one reuses its entry.
    setTimeout(() => {
      if (open.length === 0 && isOverlayEntry()) history.back()
    })
  }
}
