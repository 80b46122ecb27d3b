/** Headers that are hop-by-hop, affect the whole origin, or are set by the server. */
const droppedHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // Headers that affect the whole origin for some time, not one response: a function that forwards a response of
  // another server must not clear the application's storage or redirect its users.
  'alt-svc',
  'clear-site-data',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'strict-transport-security',
])

/**
 * A function shares its origin with the application and the pages of this server: by default its responses are not
 * cached and cannot run scripts.
 */
const defaults = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
}

/** The head of a response, without content-length. */
export interface ResponseHead {
  statusText: string
  /** By lower-case name; the worker has joined headers that may be joined. */
  headers: Record<string, string | string[]>
  /** `content-length` as set by the function. */
  length: string | null
}

const digits = /^\d{1,15}$/

function parse(text: string): ResponseHead {
  const [statusText = '', ...lines] = text.split('\n')
  const headers: ResponseHead['headers'] = { ...defaults }
  let length: string | null = null
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const name = lines[i]!.toLowerCase()
    const value = lines[i + 1]!
    if (name === 'content-length') length = digits.test(value) ? value : null
    else if (name === 'set-cookie') headers[name] = [...(headers[name] ?? []), value]
    else if (!droppedHeaders.has(name)) headers[name] = value
  }
  return { statusText, headers, length }
}

/** Most responses of a function have the same head: this many are cached, up to this length. */
const maxCached = 256
const maxCachedLength = 1_024
const cache = new Map<string, ResponseHead>()

/** Parses a worker's head: a status text, then alternating names and values, one per line. The result is shared. */
export function parseResponseHead(text: string): Readonly<ResponseHead> {
  const cached = cache.get(text)
  if (cached) return cached
  const head = parse(text)
  if (text.length > maxCachedLength) return head
  if (cache.size >= maxCached) cache.clear()
  cache.set(text, head)
  return head
}
