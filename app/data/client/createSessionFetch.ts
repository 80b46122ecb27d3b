/**
 * Errors of a refresh after which the session is still valid (rate limits, timeouts). The library signs out after any
 * 4xx; it retries 5xx.
 */
const TEMPORARY_STATUSES = new Set([408, 425, 429])

/**
 * `fetch` for the client library. Only one tab at a time refreshes, since using a refresh token twice could end the
 * session. Sessions expire by this device's clock: if it were an hour fast, every request would refresh.
 */
export function createSessionFetch(name: string): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    // Read markers are sent while the page unloads: the request must outlive the page.
    if (/\/rpc\/mark_(thread_)?read$/.test(url)) return fetch(input, { ...init, keepalive: true })
    if (!/\/auth\/v1\/(token|verify|signup)\b/.test(url)) return fetch(input, init)
    const renewing = url.includes('grant_type=refresh_token')
    const response = await (renewing && 'locks' in navigator
      ? navigator.locks.request(`${name}-renewal`, () => fetch(input, init))
      : fetch(input, init))
    if (response.ok) return withoutServerTime(response)
    return renewing && TEMPORARY_STATUSES.has(response.status)
      ? new Response(null, { status: 503 })
      : response
  }
}

/** Without `expires_at` the library counts `expires_in` from now. */
async function withoutServerTime(response: Response): Promise<Response> {
  const text = await response.text()
  let body: unknown = null
  try {
    body = JSON.parse(text)
  } catch {
    // Not a session: the library handles the text itself.
  }
  if (typeof body === 'object' && body !== null) delete (body as { expires_at?: number }).expires_at
  const { status, headers } = response
  return new Response(body === null ? text : JSON.stringify(body), { status, headers })
}
