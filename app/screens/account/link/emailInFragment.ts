/**
 * The address that a mailed link names in its fragment, which reaches no server; null if it names none. Whoever made
 * the link chose it: it says what the page may announce, and the session shows whether it is true.
 */
export function emailInFragment(hash: string): string | null {
  try {
    const email = decodeURIComponent(hash.slice(1))
    return /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 254 ? email : null
  } catch {
    return null
  }
}
