/** Where words for screen readers are said: polite, so that they wait for a pause. */
let say: ((words: string) => void) | null = null

/** Says words to screen readers, when a live region stands. */
export function announce(words: string): void {
  say?.(words)
}

/** The live region takes the words from here on; the answer lets go. */
export function listenForAnnouncements(listener: (words: string) => void): () => void {
  say = listener
  return () => {
    if (say === listener) say = null
  }
}
