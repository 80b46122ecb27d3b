/**
 * The address in the fragment of an emailed link, which is not sent to any server; null if there is none. Anyone can
 * create such a link: the address is only announced, and the session shows whether it is true.
 */
export function emailInFragment(hash: string): string | null {
  try {
    const email = decodeURIComponent(hash.slice(1))
    return /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 254 ? email : null
  } catch {
    return null
  }
}
