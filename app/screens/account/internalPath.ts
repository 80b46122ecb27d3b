/** A path of this app to go on to, or `/`: an address from elsewhere must not lead people away. */
export function internalPath(next: string | null): string {
  if (!next) return '/'
  try {
    const url = new URL(next, location.origin)
    if (url.origin !== location.origin) return '/'
    // A mailed link names the callback, and within it where to go on: here it is the latter that counts.
    if (url.pathname === '/auth/callback') return internalPath(url.searchParams.get('next'))
    return `${url.pathname}${url.search}${url.hash}`
  } catch {
    return '/'
  }
}
