import { exchange, type HttpResponse, type ConnectionTimes } from './exchange.ts'
import {
  findDestination,
  DestinationRefused,
  RequestError,
  type Destination,
  type DestinationContext,
} from './findDestination.ts'

/** A row of net.http_request_queue. */
export interface QueuedRequest {
  /** bigint */
  id: string
  method: string
  url: string
  headers: unknown
  body: Buffer | null
  timeout_milliseconds: number
}

/** A row of net._http_response without its id. */
export interface Outcome {
  status_code: number | null
  content_type: string | null
  headers: Record<string, string> | null
  content: string | null
  timed_out: boolean
  error_msg: string | null
}

/** The result of a request; `refused` is for the log. */
export interface SendResult {
  outcome: Outcome
  refused: DestinationRefused | null
}

/** The user agent of pg_net. */
const userAgent = 'pg_net/0.20.4'
const maxRedirects = 20
/** The maximum, and the value for 0, which pg_net treats as no limit. */
const maxTimeoutMs = 600_000
/** Set by this client, or hop-by-hop. A Host from the caller could select another server at the checked address. */
const reservedHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-connection',
  'proxy-authorization',
])
/** Headers of proxies. Towards this server only we set them. */
const isForwardingHeader = (name: string): boolean =>
  name.startsWith('x-forwarded-') || ['forwarded', 'via', 'x-real-ip'].includes(name)
/** Not sent to another origin after a redirect. */
const credentialHeaders = new Set(['authorization', 'cookie', 'apikey'])

/**
 * Sends a request, follows its redirects, and returns the result as pg_net stores it: status, headers and text, or a
 * message in curl's words. The destination of each redirect is checked again. Never rejects.
 * @param stop aborts it: the server is stopping
 */
export async function sendRequest(
  queued: QueuedRequest,
  context: DestinationContext,
  stop: AbortSignal,
): Promise<SendResult> {
  const timeoutMs =
    queued.timeout_milliseconds > 0 ? Math.min(queued.timeout_milliseconds, maxTimeoutMs) : maxTimeoutMs
  const abortion = new AbortController()
  const end = (): void => abortion.abort()
  const timer = setTimeout(end, timeoutMs)
  stop.addEventListener('abort', end)
  const { signal } = abortion
  const times: RequestTimes = { began: performance.now(), resolved: 0, connection: { connected: 0 } }
  try {
    const response = await followRedirects(queued, context, times, signal)
    return { outcome: toOutcome(response), refused: null }
  } catch (error) {
    if (stop.aborted) return failed('The server stopped before the response arrived', false)
    if (signal.aborted) return failed(timeoutMessage(timeoutMs, times), true)
    if (error instanceof DestinationRefused) return { ...failed(error.message, false), refused: error }
    return failed(error instanceof RequestError ? error.message : 'Failed to send the request', false)
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
  }
}

interface RequestTimes {
  began: number
  resolved: number
  connection: ConnectionTimes
}

async function followRedirects(
  queued: QueuedRequest,
  context: DestinationContext,
  times: RequestTimes,
  signal: AbortSignal,
): Promise<HttpResponse> {
  let url = parse(queued.url)
  let method = queued.method.toUpperCase()
  let body = queued.body
  let headers = readHeaders(queued.headers)
  for (let hops = 0; hops <= maxRedirects; hops++) {
    times.resolved = 0
    const to = await rejectOnAbort(findDestination(url, context), signal)
    times.resolved = performance.now()
    const sent = buildHeaders(headers, url, to, body, method)
    const response = await exchange({ url, to, method, headers: sent, body, times: times.connection, signal })
    const location = redirectOf(response)
    if (location === null) return response
    const next = parse(location, url)
    if (next.origin !== url.origin)
      headers = headers.filter(([name]) => !credentialHeaders.has(name.toLowerCase()))
    // As in browsers and curl: a POST is repeated as POST only after 307 and 308.
    if (method === 'POST' && [301, 302, 303].includes(response.status)) {
      method = 'GET'
      body = null
      headers = headers.filter(([name]) => name.toLowerCase() !== 'content-type')
    }
    url = next
  }
  throw new RequestError('Number of redirects hit maximum amount')
}

/** Rejects when `signal` aborts, since a DNS lookup that hangs cannot be aborted. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function parse(text: string, base?: URL): URL {
  try {
    return new URL(text, base)
  } catch {
    throw new RequestError('URL using bad/illegal format or missing URL')
  }
}

function redirectOf({ status, rawHeaders }: HttpResponse): string | null {
  if (![301, 302, 303, 307, 308].includes(status)) return null
  return headersOf(rawHeaders).find(([name]) => name.toLowerCase() === 'location')?.[1] ?? null
}

/** Pairs of name and value from the flat list. */
function headersOf(raw: string[]): [string, string][] {
  return raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1]!] as [string, string]] : []))
}

function readHeaders(headers: unknown): [string, string][] {
  if (headers === null) return []
  if (typeof headers !== 'object' || Array.isArray(headers))
    throw new RequestError('Headers must be a JSON object')
  return Object.entries(headers)
    .filter(([name, value]) => value !== null && !reservedHeaders.has(name.toLowerCase()))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

/** The headers of the caller, and those that curl adds if they are missing. */
function buildHeaders(
  headers: [string, string][],
  url: URL,
  to: Destination,
  body: Buffer | null,
  method: string,
): [string, string][] {
  const has = (header: string): boolean => headers.some(([name]) => name.toLowerCase() === header)
  const added: [string, string][] = []
  if (!has('user-agent')) added.push(['User-Agent', userAgent])
  if (!has('accept')) added.push(['Accept', '*/*'])
  if ((url.username || url.password) && !has('authorization')) {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    added.push(['Authorization', `Basic ${Buffer.from(user).toString('base64')}`])
  }
  if (body === null && method === 'POST') added.push(['Content-Length', '0'])
  if (to.kind !== 'server') return [...headers, ...added]
  // The peer is loopback: without this header the request would count as a local one.
  added.push(['Via', '1.1 pg_net'])
  return [...headers.filter(([name]) => !isForwardingHeader(name.toLowerCase())), ...added]
}

function toOutcome({ status, rawHeaders, body }: HttpResponse): Outcome {
  const headers = headersOf(rawHeaders)
  // PostgreSQL's text cannot contain NUL; pg_net truncates there too.
  const text = new TextDecoder().decode(body).split('\0', 1)[0]!
  return {
    status_code: status,
    content_type: headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null,
    headers: Object.fromEntries(headers),
    content: text === '' ? null : text,
    timed_out: false,
    error_msg: null,
  }
}

function failed(message: string, timedOut: boolean): SendResult {
  return {
    outcome: {
      status_code: null,
      content_type: null,
      headers: null,
      content: null,
      timed_out: timedOut,
      error_msg: message,
    },
    refused: null,
  }
}

/** pg_net's message about a timeout, with the time of each phase. */
function timeoutMessage(timeoutMs: number, { began, resolved, connection }: RequestTimes): string {
  const now = performance.now()
  const dns = (resolved || now) - began
  const handshake = resolved === 0 ? 0 : (connection.connected || now) - resolved
  const http = connection.connected === 0 ? 0 : now - connection.connected
  const ms = (value: number): string => `${value.toFixed(6)} ms`
  return (
    `Timeout of ${timeoutMs} ms reached. Total time: ${ms(now - began)} (DNS time: ${ms(dns)}, ` +
    `TCP/SSL handshake time: ${ms(handshake)}, HTTP Request/Response time: ${ms(http)})`
  )
}
