import { pathTo } from '../../paths.ts'
/** The path of this app to continue to after signing in, or `/`: prevents open redirects. */
export function internalPath(next: string | null | undefined): string {
  if (!next) return pathTo('home')
  try {
    const url = new URL(next, location.origin)
    if (url.origin !== location.origin) return pathTo('home')
    // An emailed link leads to the callback, which names the page to continue to.
    if (url.pathname === pathTo('callback')) return internalPath(url.searchParams.get('next'))
    return `${url.pathname}${url.search}${url.hash}`
  } catch {
    return pathTo('home')
  }
}

/** The address to which a mailed link or a provider redirects; `next` is the path to continue to from there. */
export function callbackUrl(next: string | undefined): string {
  const url = new URL(pathTo('callback'), location.origin)
  if (next) url.searchParams.set('next', internalPath(next))
  return url.href
}
