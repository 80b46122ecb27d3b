interface HistoryState {
  overlay?: boolean
}

/** Close functions of the open overlays, the topmost last. */
const open: (() => void)[] = []
let isListening = false
/** Lets navigations through again once the browser has gone back; null while it is not going back. */
let endLeaving: (() => void) | null = null

const isOverlayEntry = () => (history.state as HistoryState | null)?.overlay === true

function pushEntry(): void {
  if (!isOverlayEntry()) history.pushState({ ...(history.state as HistoryState | null), overlay: true }, '')
}

/**
 * Leaves the entry of an overlay. The browser goes back a few milliseconds later, and would undo a navigation that
 * happens until then, so such a navigation waits for `popstate`.
 */
function leaveEntry(): void {
  if (endLeaving) return
  const { pushState, replaceState } = history
  const waiting: (() => void)[] = []
  history.pushState = (...entry) => void waiting.push(() => history.pushState(...entry))
  history.replaceState = (...entry) => void waiting.push(() => history.replaceState(...entry))
  endLeaving = () => {
    endLeaving = null
    Object.assign(history, { pushState, replaceState })
    for (const write of waiting) write()
  }
  history.back()
}

function onPopState(): void {
  const hasLeft = endLeaving !== null
  endLeaving?.()
  if (isOverlayEntry()) {
    // No overlay is open for this entry: a link in an overlay led on from here, or "forward" led here again.
    if (open.length === 0) leaveEntry()
    return
  }
  if (hasLeft) return
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
      if (open.length === 0 && isOverlayEntry()) leaveEntry()
    })
  }
}
