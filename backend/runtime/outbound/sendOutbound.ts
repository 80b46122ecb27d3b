// Deno has no global Buffer.
import { Buffer } from 'node:buffer'
import { request as requestHttp, type Agent, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { parseUrl } from '../parseUrl.ts'

/** Milliseconds until the next address of a host is tried. */
const nextAddressDelayMs = 1_500
const maxHeaderBytes = 64 * 1024
/** The size from which `admitLargeBody` decides about a body. */
const largeBodyBytes = 256 * 1024

/** The destination of a request. */
export interface Destination {
  /** The checked addresses that the connection may use. By default it uses the addresses that DNS returns. */
  addresses?: string[]
  /** The URL to which the request is sent instead. The `Host` header still names the requested URL. */
  url?: URL
  /** False to accept any certificate. */
  rejectUnauthorized?: boolean
  /**
   * Reuses connections. Each connection leads to the addresses of the request that opened it. Without an agent each
   * request has its own connection. A response whose body is not read to its end ends its connection.
   */
  agent?: Agent
  /** Changes the headers that are sent there. */
  prepareHeaders?: (headers: Headers) => Headers
}

/** Pairs of name and value. */
type Headers = [string, string][]

/** The time at which each phase of the last hop ended, by performance.now(); 0 if it has not ended. */
export interface ConnectionTimes {
  resolved: number
  connected: number
}

export interface OutboundRequest {
  /** The URL. A user and password in it are sent as Basic authentication. */
  url: string
  method: string
  /**
   * The headers. Credentials are not sent to another origin after a redirect. `sendOutbound` sets `Host` and
   * `Content-Length`.
   */
  headers: Headers
  body?: Buffer | string | null
  /**
   * Checks a URL and each redirect before it is requested, and returns where to send it. Rejects to refuse it.
   * Without it, any http or https URL is requested.
   * @param redirectedFrom null for the first URL
   */
  findDestination?: (url: URL, redirectedFrom: URL | null) => Promise<Destination>
  /** The maximum number of redirects; more are an error. With 0, a redirect is returned as the response. */
  maxRedirects: number
  /** The maximum size of a response. A larger response is an error, or is cut. */
  maxResponseBytes: number
  /** Whether a larger response is cut and the connection closed. */
  truncatesBody?: boolean
  /** Called once when a body exceeds `largeBodyBytes`. The rest is read after it resolves; a rejection ends the request. */
  admitLargeBody?: (signal: AbortSignal) => Promise<void>
  /** Decides whether the body of a response is read; by default it is read. */
  readsBody?: (head: OutboundResponseHead) => boolean
  /** Ends the request, including its DNS lookup and reading. */
  signal: AbortSignal
  times?: ConnectionTimes
}

export interface OutboundResponseHead {
  status: number
  headers: Headers
}

export interface OutboundResponse extends OutboundResponseHead {
  /** Empty if it was not read. */
  body: Buffer
}

/** The reason why a request failed. `response`: the caller can't use the response. */
export type OutboundFailure =
  | 'url'
  | 'scheme'
  | 'refused'
  | 'unresolved'
  | 'connection'
  | 'aborted'
  | 'redirects'
  | 'size'
  | 'response'

/** A request to another server failed. The message is for the log. */
export class OutboundError extends Error {
  override name = 'OutboundError'
  readonly reason: OutboundFailure

  constructor(message: string, o: { reason?: OutboundFailure; cause?: unknown } = {}) {
    super(message, { cause: o.cause })
    this.reason = o.reason ?? 'response'
  }
}

/** Headers with credentials, which must only be sent to the origin that they are for. */
const credentialHeaders = new Set(['authorization', 'cookie', 'apikey'])

/**
 * Sends a request and follows its redirects. It opens a connection for the request unless there is an agent. As in
 * browsers and curl, a POST is repeated as POST only after 307 and 308. It uses node:http, because Node's fetch
 * cannot connect to a given address.
 * @throws OutboundError, and the errors of `findDestination`
 */
export async function sendOutbound(request: OutboundRequest): Promise<OutboundResponse> {
  const { findDestination = async () => ({}), times, signal } = request
  let { method, headers, body = null } = request
  let url = parseHttpUrl(request.url)
  let redirectedFrom: URL | null = null
  for (let hop = 0; hop <= request.maxRedirects; hop++) {
    if (times) Object.assign(times, { resolved: 0, connected: 0 })
    const destination: Destination = await rejectOnAbort(findDestination(url, redirectedFrom), url, signal)
    if (times) times.resolved = performance.now()
    const response = await exchange(request, { url, destination, method, headers, body })
    const location = request.maxRedirects > 0 ? redirectOf(response) : null
    if (location === null) return response
    redirectedFrom = url
    url = parseHttpUrl(location, url)
    if (url.origin !== redirectedFrom.origin) headers = without(headers, credentialHeaders)
    if (method === 'POST' && [301, 302, 303].includes(response.status)) {
      method = 'GET'
      body = null
      headers = without(headers, new Set(['content-type']))
    }
  }
  throw new OutboundError(`${url.host} redirects too often`, { reason: 'redirects' })
}

/** Returns the first header with a lower-case name; null if there is none. */
export function headerOf({ headers }: OutboundResponseHead, name: string): string | null {
  return headers.find(([other]) => other.toLowerCase() === name)?.[1] ?? null
}

function without(headers: Headers, names: Set<string>): Headers {
  return headers.filter(([name]) => !names.has(name.toLowerCase()))
}

function parseHttpUrl(text: string, base?: URL): URL {
  const url = parseUrl(text, base)
  if (url === null) throw new OutboundError('not a URL', { reason: 'url' })
  if (url.protocol === 'http:' || url.protocol === 'https:') return url
  throw new OutboundError(`unsupported scheme ${url.protocol}`, { reason: 'scheme' })
}

/** Rejects when `signal` aborts. A DNS lookup that hangs cannot be aborted itself. */
function rejectOnAbort<T>(work: Promise<T>, url: URL, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortError(url))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const abortError = (url: URL, cause?: unknown): OutboundError =>
  new OutboundError(`${url.host}: took too long`, { reason: 'aborted', cause })

function redirectOf(response: OutboundResponseHead): string | null {
  return [301, 302, 303, 307, 308].includes(response.status) ? headerOf(response, 'location') : null
}

interface Hop {
  url: URL
  destination: Destination
  method: string
  headers: Headers
  body: Buffer | string | null
}

async function exchange(request: OutboundRequest, hop: Hop): Promise<OutboundResponse> {
  const { url, destination } = hop
  const { signal, times } = request
  const target = destination.url ?? url
  const isTls = target.protocol === 'https:'
  let end = (): void => {}
  try {
    const outgoing = (isTls ? requestHttps : requestHttp)(requestOptions(hop, target, signal))
    end = () => outgoing.destroy()
    if (times) {
      outgoing.on('socket', (socket) => {
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          times.connected = performance.now()
        })
      })
    }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve)
      outgoing.on('error', reject)
      outgoing.end(hop.body ?? undefined)
    })
    const head = { status: response.statusCode!, headers: pairsOf(response.rawHeaders) }
    const isFollowed = request.maxRedirects > 0 && redirectOf(head) !== null
    const isRead = !isFollowed && (request.readsBody?.(head) ?? true)
    return { ...head, body: isRead ? await readBody(response, url, request) : Buffer.alloc(0) }
  } catch (error) {
    if (error instanceof OutboundError) throw error
    if (signal.aborted) throw abortError(url, error)
    const message = `${url.host}: ${(error as Error).message}`
    throw new OutboundError(message, { reason: 'connection', cause: error })
  } finally {
    end()
  }
}

function requestOptions(
  { url, destination, method, headers, body }: Hop,
  target: URL,
  signal: AbortSignal,
): RequestOptions & { autoSelectFamilyAttemptTimeout: number; rejectUnauthorized?: boolean } {
  const { addresses, agent = false, prepareHeaders = (all) => all, rejectUnauthorized } = destination
  const sent: Record<string, string> = { Host: url.host }
  const hasAuthorization = headers.some(([name]) => name.toLowerCase() === 'authorization')
  if (!hasAuthorization && (url.username || url.password)) sent['Authorization'] = basicAuthorization(url)
  // Node writes each UTF-16 unit as one byte, so the text is sent as UTF-8.
  for (const [name, value] of prepareHeaders(headers)) sent[name] = Buffer.from(value).toString('latin1')
  if (body !== null) sent['Content-Length'] = String(Buffer.byteLength(body))
  return {
    method,
    // The host stays, for the certificate and SNI, whatever the address.
    host: hostOf(target),
    port: portOf(target),
    path: `${target.pathname}${target.search}`,
    headers: sent,
    // A connection of a shared pool may just be closed by the server, and might not be to the checked address.
    agent,
    signal,
    insecureHTTPParser: false,
    maxHeaderSize: maxHeaderBytes,
    autoSelectFamilyAttemptTimeout: nextAddressDelayMs,
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(addresses ? { lookup: lookupReturning(addresses) } : {}),
  }
}

function basicAuthorization({ username, password, host }: URL): string {
  try {
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return `Basic ${Buffer.from(user).toString('base64')}`
  } catch {
    throw new OutboundError(`the user of ${host} is not encoded as in a URL`, { reason: 'url' })
  }
}

/** Creates a lookup that resolves any host to these addresses. */
function lookupReturning(addresses: string[]): LookupFunction {
  const resolved = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, options, callback) => {
    if (options.all) callback(null, resolved)
    else callback(null, resolved[0]!.address, resolved[0]!.family)
  }
}

function pairsOf(raw: string[]): Headers {
  return raw.flatMap((name, i): Headers => (i % 2 === 0 ? [[name, raw[i + 1]!]] : []))
}

async function readBody(
  response: IncomingMessage,
  { host }: URL,
  { maxResponseBytes: maxBytes, truncatesBody = false, admitLargeBody, signal }: OutboundRequest,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  let isLarge = false
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) {
      if (truncatesBody) return Buffer.concat([...chunks, chunk]).subarray(0, maxBytes)
      throw new OutboundError(`${host} responds with more than ${maxBytes} bytes`, { reason: 'size' })
    }
    chunks.push(chunk)
    if (!isLarge && size > largeBodyBytes) {
      isLarge = true
      await admitLargeBody?.(signal)
    }
  }
  return Buffer.concat(chunks)
}

/** Returns the host of a URL as DNS and `isIP` accept it: without brackets and without a trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** Returns the port of an http or https URL, explicit or default. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}
