import type { Settings } from './settings.ts'
import { cookieName, readCookies } from './sessionCookie.ts'
import { writeCookie } from './writeCookie.ts'

/**
 * Gives cookies from before the prefix their new names, once in each browser, so that nobody is signed out. Later ones
 * are not taken: another program of this host could have set them.
 */
export function renameCookies(settings: Settings): void {
  const name = cookieName(settings)
  const plain = name.replace('__Host-', '')
  for (const cookie of readCookies()) {
    if (!cookie.name.startsWith(plain)) continue
    writeCookie(name + cookie.name.slice(plain.length), cookie.value)
    writeCookie(cookie.name, '', 0)
  }
  localStorage.setItem('linnet.cookies', 'renamed')
}
