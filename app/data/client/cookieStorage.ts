import {
  combineChunks,
  createChunks,
  isChunkLike,
  stringFromBase64URL,
  stringToBase64URL,
} from '@supabase/ssr'
import type { SupportedStorage } from '@supabase/auth-js'
import { readCookies } from './sessionCookie.ts'

/** Maximum age of a cookie, in seconds. A session that no page has refreshed for so long ends on this device. */
const MAX_COOKIE_AGE = 30 * 24 * 60 * 60

/** The prefix by which @supabase/ssr recognizes an encoded value. */
const ENCODED = 'base64-'

/**
 * Stores what the auth client stores, sessions and PKCE code verifiers, in cookies of this page. Names and format are those
 * of @supabase/ssr: `base64-` and the base64url of the value, in the chunks `.0`, `.1` … if it is long. A value that can't
 * be decoded is treated as absent.
 */
export const cookieStorage = {
  async getItem(key) {
    const cookies = new Map(readCookies().map(({ name, value }) => [name, value]))
    const value = await combineChunks(key, (name) => cookies.get(name))
    if (!value?.startsWith(ENCODED)) return value
    try {
      const text = stringFromBase64URL(value.slice(ENCODED.length))
      // Chunks of two sessions together are no JSON.
      JSON.parse(text)
      return text
    } catch {
      return null
    }
  },
  setItem(key, value) {
    const chunks = createChunks(key, ENCODED + stringToBase64URL(value))
    removeCookies(key, new Set(chunks.map(({ name }) => name)))
    for (const chunk of chunks) writeCookie(chunk.name, chunk.value, MAX_COOKIE_AGE)
  },
  removeItem(key) {
    removeCookies(key)
  },
} satisfies SupportedStorage

/** Removes the cookies of a key: a longer value had more chunks. */
function removeCookies(key: string, except: ReadonlySet<string> = new Set()): void {
  for (const { name } of readCookies())
    if (isChunkLike(name, key) && !except.has(name)) writeCookie(name, '', 0)
}

function writeCookie(name: string, value: string, maxAge: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is missing in Firefox and Safari
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAge}; SameSite=Lax${secure}`
}
