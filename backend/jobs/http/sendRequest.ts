import { exchange, type Answer, type Steps } from './exchange.ts'
import {
  findDestination,
  Refused,
  RequestFault,
  type Destination,
  type Surroundings,
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

/** A row of net._http_response, less its id. */
export interface Outcome {
  status_code: number | null
  content_type: string | null
  headers: Record<string, string> | null
  content: string | null
  timed_out: boolean
  error_msg: string | null
}

/** Where a request has led; `refused` for the log. */
export interface Sent {
  outcome: Outcome
  refused: Refused | null
}

/** As upstream names itself. */
const userAgent = 'pg_net/0.20.4'
const mostRedirects = 20
/** What 0 means, which upstream takes for no limit, and the longest. */
const longestMs = 600_000
/** Set by us, or of one connection; a Host of the caller's would make two servers of one. */
const ownHeaders = new Set([
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
/** Signs of a proxy: only we write them, to the house. */
const isForwarding = (name: string): boolean =>
  name.startsWith('x-forwarded-') || ['forwarded', 'via', 'x-real-ip'].includes(name)
/** What a redirect to another place must not be handed. */
const secretHeaders = new Set(['authorization', 'cookie', 'apikey'])

/**
 * Sends a request, follows its redirects, and says what became of it as pg_net does: status, headers and text, or a
 * message in curl's words. Each hop is decided on anew. Never rejects.
 * @param stop ends it early: the server is stopping
 */
export async function sendRequest(
  queued: QueuedRequest,
  around: Surroundings,
  stop: AbortSignal,
): Promise<Sent> {
  const limit = queued.timeout_milliseconds > 0 ? Math.min(queued.timeout_milliseconds, longestMs) : longestMs
  const ending = new AbortController()
  const end = (): void => ending.abort()
  const timer = setTimeout(end, limit)
  stop.addEventListener('abort', end)
  const { signal } = ending
  const clock: Clock = { began: performance.now(), resolved: 0, steps: { connected: 0 } }
  try {
    const answer = await follow(queued, around, clock, signal)
    return { outcome: describe(answer), refused: null }
  } catch (error) {
    if (stop.aborted) return failure('The server was stopped before the answer came', false)
    if (signal.aborted) return failure(timeoutMessage(limit, clock), true)
    if (error instanceof Refused) return { ...failure(error.message, false), refused: error }
    return failure(error instanceof RequestFault ? error.message : 'Failed to send the request', false)
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
  }
}

interface Clock {
  began: number
  resolved: number
  steps: Steps
}

async function follow(
  queued: QueuedRequest,
  around: Surroundings,
  clock: Clock,
  signal: AbortSignal,
): Promise<Answer> {
  let url = parse(queued.url)
  let method = queued.method.toUpperCase()
  let body = queued.body
  let headers = readHeaders(queued.headers)
  for (let hops = 0; hops <= mostRedirects; hops++) {
    clock.resolved = 0
    const to = await orAborted(findDestination(url, around), signal)
    clock.resolved = performance.now()
    const sent = complete(headers, url, to, body, method)
    const answer = await exchange({ url, to, method, headers: sent, body, steps: clock.steps, signal })
    const location = redirectOf(answer)
    if (location === null) return answer
    const next = parse(location, url)
    if (next.origin !== url.origin)
      headers = headers.filter(([name]) => !secretHeaders.has(name.toLowerCase()))
    // As browsers and curl: what was posted is not posted again, but by 307 and 308.
    if (method === 'POST' && [301, 302, 303].includes(answer.status)) {
      method = 'GET'
      body = null
      headers = headers.filter(([name]) => name.toLowerCase() !== 'content-type')
    }
    url = next
  }
  throw new RequestFault('Number of redirects hit maximum amount')
}

/** A resolver that hangs holds nobody up. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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
    throw new RequestFault('URL using bad/illegal format or missing URL')
  }
}

function redirectOf({ status, rawHeaders }: Answer): string | null {
  if (![301, 302, 303, 307, 308].includes(status)) return null
  return headersOf(rawHeaders).find(([name]) => name.toLowerCase() === 'location')?.[1] ?? null
}

/** The pairs of a flat list. */
function headersOf(raw: string[]): [string, string][] {
  return raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1]!] as [string, string]] : []))
}

function readHeaders(headers: unknown): [string, string][] {
  if (headers === null) return []
  if (typeof headers !== 'object' || Array.isArray(headers))
    throw new RequestFault('Headers must be a JSON object')
  return Object.entries(headers)
    .filter(([name, value]) => value !== null && !ownHeaders.has(name.toLowerCase()))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

/** With what curl adds where the caller has not. */
function complete(
  headers: [string, string][],
  url: URL,
  to: Destination,
  body: Buffer | null,
  method: string,
): [string, string][] {
  const has = (wanted: string): boolean => headers.some(([name]) => name.toLowerCase() === wanted)
  const added: [string, string][] = []
  if (!has('user-agent')) added.push(['User-Agent', userAgent])
  if (!has('accept')) added.push(['Accept', '*/*'])
  if ((url.username || url.password) && !has('authorization')) {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    added.push(['Authorization', `Basic ${Buffer.from(user).toString('base64')}`])
  }
  if (body === null && method === 'POST') added.push(['Content-Length', '0'])
  if (to.kind !== 'house') return [...headers, ...added]
  // The peer is loopback: without this the house would take it for a person at this machine.
  added.push(['Via', '1.1 pg_net'])
  return [...headers.filter(([name]) => !isForwarding(name.toLowerCase())), ...added]
}

function describe({ status, rawHeaders, body }: Answer): Outcome {
  const headers = headersOf(rawHeaders)
  // PostgreSQL's text holds no NUL; upstream ends there too.
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

function failure(message: string, timedOut: boolean): Sent {
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

/** Upstream's sentence: where the time went. */
function timeoutMessage(limit: number, { began, resolved, steps }: Clock): string {
  const now = performance.now()
  const dns = (resolved || now) - began
  const handshake = resolved === 0 ? 0 : (steps.connected || now) - resolved
  const http = steps.connected === 0 ? 0 : now - steps.connected
  const ms = (value: number): string => `${value.toFixed(6)} ms`
  return (
    `Timeout of ${limit} ms reached. Total time: ${ms(now - began)} (DNS time: ${ms(dns)}, ` +
    `TCP/SSL handshake time: ${ms(handshake)}, HTTP Request/Response time: ${ms(http)})`
  )
}
