import {
  headerOf,
  OutboundError,
  sendOutbound,
  type ConnectionTimes,
  type OutboundResponse,
} from '../../runtime/outbound/sendOutbound.ts'
import { findDestination, DestinationRefused, type DestinationContext } from './findDestination.ts'

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
const maxResponseBytes = 5 * 1024 * 1024
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
/**
 * Sends a request, follows its redirects, and returns the result as pg_net stores it: status, headers and text, or a
 * message of curl. The destination of each redirect is checked again. Never rejects.
 * @param stop aborts it: the server is stopping
 * @param admitLargeBody resolves when the rest of a large body may be buffered; by default at once
 */
export async function sendRequest(
  queued: QueuedRequest,
  context: DestinationContext,
  stop: AbortSignal,
  admitLargeBody: (signal: AbortSignal) => Promise<void> = async () => {},
): Promise<SendResult> {
  const timeoutMs =
    queued.timeout_milliseconds > 0 ? Math.min(queued.timeout_milliseconds, maxTimeoutMs) : maxTimeoutMs
  const abortion = new AbortController()
  const end = (): void => abortion.abort()
  const timer = setTimeout(end, timeoutMs)
  stop.addEventListener('abort', end)
  const { signal } = abortion
  const times: RequestTimes = { began: performance.now(), resolved: 0, connected: 0 }
  try {
    const response = await sendOutbound({
      url: queued.url,
      method: queued.method.toUpperCase(),
      headers: addDefaultHeaders(readHeaders(queued.headers)),
      body: queued.body,
      findDestination: (url, redirectedFrom) => findDestination(url, redirectedFrom, context),
      maxRedirects,
      maxResponseBytes,
      admitLargeBody,
      signal,
      times,
    })
    return { outcome: toOutcome(response), refused: null }
  } catch (error) {
    if (stop.aborted) return failed('The server stopped before the response arrived', false)
    if (signal.aborted) return failed(timeoutMessage(timeoutMs, times), true)
    if (error instanceof DestinationRefused) return { ...failed(error.message, false), refused: error }
    return failed(error instanceof OutboundError ? curlMessage(error) : 'Failed to send the request', false)
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
  }
}

interface RequestTimes extends ConnectionTimes {
  began: number
}

function readHeaders(headers: unknown): [string, string][] {
  if (headers === null) return []
  if (typeof headers !== 'object' || Array.isArray(headers))
    throw new OutboundError('Headers must be a JSON object')
  return Object.entries(headers)
    .filter(([name, value]) => value !== null && !reservedHeaders.has(name.toLowerCase()))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

/** Adds the headers that curl sends if they are missing. */
function addDefaultHeaders(headers: [string, string][]): [string, string][] {
  const has = (header: string): boolean => headers.some(([name]) => name.toLowerCase() === header)
  return [
    ...headers,
    ...(has('user-agent') ? [] : [['User-Agent', userAgent] satisfies [string, string]]),
    ...(has('accept') ? [] : [['Accept', '*/*'] satisfies [string, string]]),
  ]
}

function toOutcome(response: OutboundResponse): Outcome {
  const { status, headers, body } = response
  // PostgreSQL's text cannot contain NUL; pg_net truncates there too.
  const text = new TextDecoder().decode(body).split('\0', 1)[0]!
  return {
    status_code: status,
    content_type: headerOf(response, 'content-type'),
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
function timeoutMessage(timeoutMs: number, { began, resolved, connected }: RequestTimes): string {
  const now = performance.now()
  const dns = (resolved || now) - began
  const handshake = resolved === 0 ? 0 : (connected || now) - resolved
  const http = connected === 0 ? 0 : now - connected
  const ms = (value: number): string => `${value.toFixed(6)} ms`
  return (
    `Timeout of ${timeoutMs} ms reached. Total time: ${ms(now - began)} (DNS time: ${ms(dns)}, ` +
    `TCP/SSL handshake time: ${ms(handshake)}, HTTP Request/Response time: ${ms(http)})`
  )
}

/** curl's message for an error, as pg_net stores it, as far as Node distinguishes the same errors. */
function curlMessage({ reason, message, cause }: OutboundError): string {
  switch (reason) {
    case 'url':
      return 'URL using bad/illegal format or missing URL'
    case 'scheme':
      return 'Unsupported protocol'
    case 'unresolved':
      return "Couldn't resolve host name"
    case 'redirects':
      return 'Number of redirects hit maximum amount'
    case 'size':
      return `The response is larger than ${maxResponseBytes / 1024 / 1024} MiB`
    case 'connection':
      return curlConnectionMessage(cause as NodeJS.ErrnoException)
    default:
      return message
  }
}

function curlConnectionMessage({ code = '', message }: NodeJS.ErrnoException): string {
  if (message === 'aborted') return 'Transferred a partial file'
  if (message === 'socket hang up') return 'Server returned nothing (no headers, no data)'
  if (['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EADDRNOTAVAIL'].includes(code)) {
    return "Couldn't connect to server"
  }
  if (code.startsWith('HPE_')) return 'Weird server reply'
  if (code.startsWith('ERR_TLS') || /CERT|VERIFY|SIGNED|ISSUER/.test(code)) {
    return 'SSL peer certificate or SSH remote key was not OK'
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'SSL connect error'
  if (['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN', 'ERR_UNESCAPED_CHARACTERS'].includes(code)) {
    return 'A header or the URL contains characters that HTTP does not allow'
  }
  return 'Failure when receiving data from the peer'
}
