/**
 * The address that a mailed link names in its fragment, which reaches no server; null if it names none. Whoever made
 * the link chose it: it says what the page may announce, and the session shows whether it is true.
 */
export function namedIn(hash: string): string | null {
  try {
    const named = decodeURIComponent(hash.slice(1))
    return /^[^\s@]+@[^\s@]+$/.test(named) && named.length <= 254 ? named : null
  } catch {
    return null
  }
}
