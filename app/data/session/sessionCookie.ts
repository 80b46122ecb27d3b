import type { Settings } from './connection.ts'

/** The name of this installation's session cookie; also of the lock around its renewal. */
export function cookieName(settings: Settings): string {
  return `sb-${settings.installation}-auth-token`
}

/** All cookies that this page may read. */
export function readCookies(): { name: string; value: string }[] {
  return document.cookie.split('; ').flatMap((pair) => {
    const at = pair.indexOf('=')
    if (at < 1) return []
    try {
      return [{ name: pair.slice(0, at), value: decodeURIComponent(pair.slice(at + 1)) }]
    } catch {
      return []
    }
  })
}

/**
 * Who is signed in by the cookie alone, before the client library is here and also when the server can't be
 * reached; null when nobody is. Proves nothing: the server asks the token itself.
 * Format: `base64-` and base64url of the session as JSON, in parts `.0`, `.1` … when long (@supabase/ssr).
 */
export function signedInByCookie(settings: Settings): { id: string; email: string | null } | null {
  const name = cookieName(settings)
  const cookies = new Map(readCookies().map((cookie) => [cookie.name, cookie.value]))
  let value = cookies.get(name) ?? ''
  for (let part = 0; cookies.has(`${name}.${part}`); part += 1) value += cookies.get(`${name}.${part}`) ?? ''
  try {
    const encoded = value
      .replace(/^base64-/, '')
      .replaceAll('-', '+')
      .replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0))
    const { user, refresh_token } = JSON.parse(new TextDecoder().decode(bytes)) as {
      user?: { id?: unknown; email?: unknown }
      refresh_token?: unknown
    }
    if (typeof user?.id !== 'string' || typeof refresh_token !== 'string') return null
    return { id: user.id, email: typeof user.email === 'string' ? user.email : null }
  } catch {
    return null
  }
}
