/** The receiver of announcements for screen readers. */
let currentListener: ((text: string) => void) | null = null

/** Announces text to screen readers, politely: after a pause in speech. */
export function announce(text: string): void {
  currentListener?.(text)
}

/** Registers the live region. Returns the function that unregisters it. */
export function onAnnouncement(listener: (text: string) => void): () => void {
  currentListener = listener
  return () => {
    if (currentListener === listener) currentListener = null
  }
}
