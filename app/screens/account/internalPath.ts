/** A path of this app to continue to, or `/`: prevents open redirects. */
export function internalPath(next: string | null): string {
  if (!next) return '/'
  try {
    const url = new URL(next, location.origin)
    if (url.origin !== location.origin) return '/'
    // An emailed link leads to the callback, which names the page to continue to.
    if (url.pathname === '/auth/callback') return internalPath(url.searchParams.get('next'))
    return `${url.pathname}${url.search}${url.hash}`
  } catch {
    return '/'
  }
}
