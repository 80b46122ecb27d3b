/** Maximum age of the session's cookie, in seconds. */
const COOKIE_AGE = 30 * 24 * 60 * 60

/** Sets a cookie of this page, or removes it where `maxAge` is 0. */
export function writeCookie(name: string, value: string, maxAge = COOKIE_AGE): void {
  const age = Math.min(maxAge, COOKIE_AGE)
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is missing in Firefox and Safari
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`
}
