/** Where words for screen readers are said: polite, so that they wait for a pause. */
let currentListener: ((text: string) => void) | null = null

/** Says words to screen readers, when a live region stands. */
export function announce(text: string): void {
  currentListener?.(text)
}

/** The live region takes the words from here on; the answer lets go. */
export function onAnnouncement(listener: (text: string) => void): () => void {
  currentListener = listener
  return () => {
    if (currentListener === listener) currentListener = null
  }
}
