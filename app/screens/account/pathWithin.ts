/** A path of this app to go on to, or `/`: an address from elsewhere must not lead people away. */
export function pathWithin(next: string | null): string {
  if (!next) return '/'
  try {
    const url = new URL(next, location.origin)
    return url.origin === location.origin ? `${url.pathname}${url.search}${url.hash}` : '/'
  } catch {
    return '/'
  }
}
