import { isMarkup, markupHeadLength } from '../../wire/isMarkup.ts'
import type { RequestedFile } from './requestedFile.ts'
import { restrictHeaders, mayHideMarkup, mayShow } from './restrictHeaders.ts'
import { contentRange } from './contentRange.ts'
import type { StorageAccess } from './workerMessages.ts'
import { splitHead } from './splitHead.ts'

export interface FetchContext {
  /** Token and address of storage; another token than the refused one. Null if nobody is signed in. */
  storageAccess: (refused: string | null) => Promise<StorageAccess | null>
  fetch: typeof fetch
  /** Aborts every transfer. */
  signal: AbortSignal
}

type FileRequest = Pick<Request, 'method' | 'headers' | 'destination' | 'signal'>

/**
 * Responds to a request for a file with storage's response to the reader's token: 200, 206, 416; 404 if the file does not
 * exist or is not readable; 503 if storage can't be reached. Never rejects.
 */
export async function respondWithFile(
  file: RequestedFile,
  request: FileRequest,
  context: FetchContext,
): Promise<Response> {
  if (!mayShow(request.destination)) return refusal(404)
  try {
    const response = await fetchAsReader(file, request, context)
    if (!response) return refusal(404)
    const { status } = response
    // A response that the browser saves is passed on unchanged: the body of a new response would pass through this
    // worker's memory, which is freed too late for half a gigabyte.
    if (status === 200 && file.download && isSaved(response.headers)) return response
    if (status === 200 || status === 206) {
      const range = status === 206 ? contentRange(response.headers, request.headers.get('range')) : null
      const options = { ...file, destination: request.destination }
      const begins = range === null || range.startsWith('bytes 0-')
      const { head, body } =
        begins && mayHideMarkup(response.headers, options)
          ? await splitHead(response.body, markupHeadLength)
          : { head: '', body: response.body }
      const headers = restrictHeaders(response.headers, { ...options, markup: isMarkup(head) })
      if (range !== null) headers.set('content-range', range)
      return new Response(body, { status, headers })
    }
    await response.body?.cancel()
    if (status === 416) {
      // Responses from Chromium's cache contain a range here, which a 416 must not.
      const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]
      return refusal(416, total === undefined ? {} : { 'content-range': `bytes */${total}` })
    }
    return refusal(status >= 500 || status === 429 ? 503 : 404)
  } catch {
    return refusal(503)
  }
}

async function fetchAsReader(
  file: RequestedFile,
  request: FileRequest,
  // Destructured, since a browser's `fetch` throws if it is called as a method of another object.
  { storageAccess: requestAccess, fetch, signal }: FetchContext,
): Promise<Response | null> {
  let refused: string | null = null
  const query = file.download ? `?download=${encodeURIComponent(file.name)}` : ''
  for (;;) {
    const access = await requestAccess(refused)
    if (!access) return null
    const headers = new Headers({ apikey: access.key, authorization: `Bearer ${access.token}` })
    for (const name of ['range', 'if-range']) {
      const value = request.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    const response = await fetch(`${access.url}/storage/v1/object/authenticated/files/${file.path}${query}`, {
      method: request.method,
      headers,
      // Cached files are revalidated by storage, since another user may have fetched them. Downloads are not cached:
      // they would be on the disk twice.
      cache: file.download ? 'no-store' : 'no-cache',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.any([request.signal, signal]),
    })
    if (refused !== null || !(await isTokenRejected(response))) return response
    await response.body?.cancel()
    refused = access.token
  }
}

/** Whether the browser will save the response; false if the backend does not expose the header to scripts. */
function isSaved(upstream: Headers): boolean {
  return /^attachment(;|$)/i.test(upstream.get('content-disposition') ?? '')
}

/** Whether the token was refused, rather than the file: storage sends 401 or, in older versions, a 400 whose body contains it. */
async function isTokenRejected(response: Response): Promise<boolean> {
  if (response.status === 401 || response.status === 403) return true
  if (response.status !== 400) return false
  const upstream = (await response
    .clone()
    .json()
    .catch(() => null)) as { statusCode?: unknown } | null
  return upstream?.statusCode === '401' || upstream?.statusCode === '403'
}

function refusal(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status,
    headers: {
      ...headers,
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    },
  })
}
