import type { Settings } from './settings.ts'

/**
 * The name of this installation's session cookie, and of the lock for refreshing the session. Browsers accept a cookie
 * with this prefix only from this host over https: neither a subdomain nor a server on http can set or replace it.
 */
export function cookieName(settings: Settings): string {
  return `${location.protocol === 'https:' ? '__Host-' : ''}sb-${settings.installation}-auth-token`
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

/** The user of a session. */
export interface SignedInUser {
  id: string
  email: string | null
  /** Undefined: a token without a session. */
  sessionId: string | undefined
  /** Has a second factor that this session has not verified: the database's policies treat it as unauthenticated. */
  needsSecondFactor: boolean
}

interface SessionParts {
  access_token: string
  user: { id: string; email?: string | undefined; factors?: { status: string }[] | undefined }
}

function decodeJson<T>(text: string): T {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)))) as T
}

/** Parses a session; throws if it is none. The token is not verified here; the server does. */
export function userOfSession({ access_token, user }: SessionParts): SignedInUser {
  const claims = decodeJson<{ aal?: string; session_id?: string }>(access_token.split('.')[1]!)
  return {
    id: user.id,
    email: user.email ?? null,
    sessionId: claims.session_id,
    needsSecondFactor: claims.aal === 'aal1' && !!user.factors?.some(({ status }) => status === 'verified'),
  }
}

/**
 * The session from the cookie, without the client library; null: signed out.
 * Format: `base64-` and base64url of the session as JSON, in parts `.0`, `.1` … when long (@supabase/ssr).
 */
export function sessionByCookie(settings: Settings): SessionParts | null {
  const name = cookieName(settings)
  const cookies = new Map(readCookies().map((cookie) => [cookie.name, cookie.value]))
  let value = cookies.get(name) ?? ''
  for (let part = 0; cookies.has(`${name}.${part}`); part += 1) value += cookies.get(`${name}.${part}`) ?? ''
  try {
    const session = decodeJson<SessionParts & { refresh_token?: unknown }>(value.replace(/^base64-/, ''))
    return typeof session.user.id === 'string' && typeof session.refresh_token === 'string' ? session : null
  } catch {
    return null
  }
}

/** The signed-in user from the cookie, before the client library is loaded, and without a network; null: signed out. */
export function signedInByCookie(settings: Settings): SignedInUser | null {
  const session = sessionByCookie(settings)
  try {
    return session && userOfSession(session)
  } catch {
    return null
  }
}
