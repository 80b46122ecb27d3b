import { sessionByCookie } from './sessionCookie.ts'
import type { Settings } from './settings.ts'

/**
 * Returns a function that reports that this page is being closed, so that notifications are no longer left to it. The
 * function sends the request before it returns, with the token of the session cookie: nothing asynchronous continues in a
 * closing page. The request outlives the page. `sendBeacon` can't be used, since it sends no headers.
 */
export function createCloseReport(settings: Settings): () => void {
  const { url, key } = settings
  return () => {
    const token = sessionByCookie(settings)?.access_token
    if (!token) return
    fetch(`${url}/rest/v1/rpc/close_page`, {
      method: 'POST',
      keepalive: true,
      headers: { apikey: key, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
      // Without the report, the server detects the closed page by the missing heartbeats.
    }).catch(() => {})
  }
}
