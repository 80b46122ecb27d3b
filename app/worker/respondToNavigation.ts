import { findShell, refreshShell } from './builds.ts'

/** Milliseconds without a response after which the network counts as unavailable and the stored document is shown. */
const NETWORK_TIMEOUT_MS = 5_000

/** Paths of services, the dashboard, files and channels on the web, which are no pages of the app. */
const OTHERS =
  /^\/(_|w|mailbox|attached|assets|\.well-known|(auth|rest|storage|realtime|functions|graphql)\/v\d+)\//

/** Whether a request opens a page of the app in a window or tab. */
export function isPageRequest(
  { method, mode, destination, url }: Pick<Request, 'method' | 'mode' | 'destination' | 'url'>,
  origin: string,
): boolean {
  const { origin: requestOrigin, pathname } = new URL(url)
  const opens = method === 'GET' && mode === 'navigate' && destination === 'document'
  return opens && requestOrigin === origin && !OTHERS.test(pathname)
}

/**
 * Responds to a navigation with the server's response, whatever its status. If the network fails or the response
 * takes too long, it responds with the document of the stored build. If none is stored, it rejects with the error of
 * the network.
 * @param o.request fetches the page
 * @param o.later keeps the worker running until work after the response is done
 */
export async function respondToNavigation(o: {
  request: () => Promise<Response>
  caches: CacheStorage
  later: (work: Promise<unknown>) => void
  timeoutMs?: number
}): Promise<Response> {
  const { caches } = o
  const network = o.request()
  o.later(network.catch(() => {}))
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), o.timeoutMs ?? NETWORK_TIMEOUT_MS)
  })
  const response = await Promise.race([network.catch(() => null), timeout])
  clearTimeout(timer)
  if (!response) {
    // Storage that the browser has closed or emptied must not delay the response from the network.
    const shell = await findShell(caches).catch(() => null)
    return shell ?? network
  }
  o.later(refreshShell(response.clone(), caches).catch(() => {}))
  return response
}
