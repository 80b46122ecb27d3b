import { isMarkup, markupHeadLength } from '../../wire/isMarkup.ts'
import type { AttachedFile } from './attachedFile.ts'
import { boundedHeaders, mayHideMarkup, mayShow } from './restrictHeaders.ts'
import { contentRange } from './contentRange.ts'
import type { Pass } from './messages.ts'
import { splitHead } from './splitHead.ts'

export interface Means {
  /** What a fetch needs; another token than the refused one. Null when nobody is signed in. */
  pass: (refused: string | null) => Promise<Pass | null>
  fetch: typeof fetch
  /** Ends every transfer. */
  signal: AbortSignal
}

type Asked = Pick<Request, 'method' | 'headers' | 'destination' | 'signal'>

/**
 * Answers a request for a file with what storage sends to the reader's own token: 200, 206, 416; 404 for what is not
 * there or not to be seen; 503 where storage can't be reached. Never rejects.
 */
export async function answerAttached(file: AttachedFile, asked: Asked, means: Means): Promise<Response> {
  if (!mayShow(asked.destination)) return refusal(404)
  try {
    const answer = await fetchAsReader(file, asked, means)
    if (!answer) return refusal(404)
    const { status } = answer
    // As it came, where that is known to be saved: a body in a new answer passes through this worker's own memory,
    // which is cleared up too late for half a gigabyte.
    if (status === 200 && file.download && isSaved(answer.headers)) return answer
    if (status === 200 || status === 206) {
      const range = status === 206 ? contentRange(answer.headers, asked.headers.get('range')) : null
      const how = { ...file, destination: asked.destination }
      const begins = range === null || range.startsWith('bytes 0-')
      const { head, body } =
        begins && mayHideMarkup(answer.headers, how)
          ? await splitHead(answer.body, markupHeadLength)
          : { head: '', body: answer.body }
      const headers = boundedHeaders(answer.headers, { ...how, markup: isMarkup(head) })
      if (range !== null) headers.set('content-range', range)
      return new Response(body, { status, headers })
    }
    await answer.body?.cancel()
    if (status === 416) {
      // Chromium's cache, which answers too, names a range here that there is not.
      const total = /\/(\d+)$/.exec(answer.headers.get('content-range') ?? '')?.[1]
      return refusal(416, total === undefined ? {} : { 'content-range': `bytes */${total}` })
    }
    return refusal(status >= 500 || status === 429 ? 503 : 404)
  } catch {
    return refusal(503)
  }
}

async function fetchAsReader(
  file: AttachedFile,
  asked: Asked,
  // Apart, since a browser's `fetch` is nobody's method.
  { pass: passFor, fetch, signal }: Means,
): Promise<Response | null> {
  let refused: string | null = null
  const query = file.download ? `?download=${encodeURIComponent(file.name)}` : ''
  for (;;) {
    const pass = await passFor(refused)
    if (!pass) return null
    const headers = new Headers({ apikey: pass.key, authorization: `Bearer ${pass.token}` })
    for (const name of ['range', 'if-range']) {
      const value = asked.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    const answer = await fetch(`${pass.url}/storage/v1/object/authenticated/files/${file.path}${query}`, {
      method: asked.method,
      headers,
      // What this browser holds is shown only after storage was asked again: it may have come to somebody else. What
      // is saved is on the disk then, once.
      cache: file.download ? 'no-store' : 'no-cache',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.any([asked.signal, signal]),
    })
    if (refused !== null || !(await isForToken(answer))) return answer
    await answer.body?.cancel()
    refused = pass.token
  }
}

/** Whether a browser saves the answer and shows it nowhere; false where a backend doesn't let scripts read that. */
function isSaved(said: Headers): boolean {
  return /^attachment(;|$)/i.test(said.get('content-disposition') ?? '')
}

/** Whether the token was refused, rather than the file: storage says so with 401 or, of old, inside a 400. */
async function isForToken(answer: Response): Promise<boolean> {
  if (answer.status === 401 || answer.status === 403) return true
  if (answer.status !== 400) return false
  const said = (await answer
    .clone()
    .json()
    .catch(() => null)) as { statusCode?: unknown } | null
  return said?.statusCode === '401' || said?.statusCode === '403'
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
