import { lookup } from 'node:dns/promises'
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from '../../../runtime/clientAddress/isPublicAddress.ts'

/** Options of a request to a provider. */
export interface OutboundRequest {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** For URLs from the API: only TLS and public addresses are allowed. */
  publicOnly?: boolean
}

interface OutboundResponse {
  status: number
  contentType: string
  text: string
}

/** A request to a provider failed. The message is for the log. */
export class OutboundError extends Error {
  override name = 'OutboundError'
}

/**
 * The HTTP client for external services. One per server, so that tests can redirect it to their own provider.
 */
export interface Outbound {
  /** Sends a request; GETs follow redirects, each of which is checked. Throws OutboundError. */
  send(url: string, request?: OutboundRequest): Promise<OutboundResponse>
  /** Resolves all addresses of a host name. Rejects if there are none. */
  resolve(host: string): Promise<string[]>
}

/** The timeout of a request, connecting and reading included, in ms; as on hosted Supabase. */
const timeoutMs = 10_000
/** The maximum size of a response. */
const maxBytes = 1_048_576
const maxRedirects = 3

export function createOutbound(
  o: {
    resolve?: (host: string) => Promise<string[]>
    /** Replaces a URL after it was checked; for tests. */
    redirectRequest?: (url: URL) => URL
    /** Creates the signal that aborts a request after the timeout. */
    createTimeout?: () => AbortSignal
  } = {},
): Outbound {
  const resolve = o.resolve ?? resolveHost
  const redirectRequest = o.redirectRequest ?? ((url: URL) => url)
  const createTimeout = o.createTimeout ?? (() => AbortSignal.timeout(timeoutMs))
  return {
    resolve,
    async send(url, request = {}) {
      const signal = createTimeout()
      let target = parse(url)
      let { headers = {} } = request
      for (let hop = 0; hop <= maxRedirects; hop++) {
        const addresses = request.publicOnly ? await publicAddresses(target, resolve) : null
        const response = await exchange(redirectRequest(target), { ...request, headers }, addresses, signal)
        const location = request.method === 'POST' ? null : redirectLocation(response)
        if (location === null) return response
        const next = parse(location, target)
        if (target.protocol === 'https:' && next.protocol !== 'https:') {
          throw new OutboundError(`${target.host} redirects away from TLS`)
        }
        // A token must only be sent to the origin that it is for.
        if (next.origin !== target.origin) headers = withoutAuthorization(headers)
        target = next
      }
      throw new OutboundError(`${target.host} redirects too often`)
    },
  }
}

async function resolveHost(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

function parse(url: string, base?: URL): URL {
  let parsed: URL
  try {
    parsed = new URL(url, base)
  } catch {
    throw new OutboundError('not a URL')
  }
  if (!/^https?:$/.test(parsed.protocol)) throw new OutboundError(`unsupported scheme ${parsed.protocol}`)
  return parsed
}

/**
 * The addresses that a connection may use: resolved once, here, so that a second DNS lookup cannot return
 * others.
 */
async function publicAddresses(url: URL, resolve: Outbound['resolve']): Promise<string[]> {
  if (url.protocol !== 'https:') throw new OutboundError(`${url.host} is not requested over TLS`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host]
  if (addresses.length === 0) throw new OutboundError(`${host} can't be resolved`)
  if (!addresses.every(isPublicAddress)) throw new OutboundError(`${host} is not a public address`)
  return addresses
}

interface RedirectableResponse extends OutboundResponse {
  location: string | null
}

async function exchange(
  url: URL,
  request: OutboundRequest,
  addresses: string[] | null,
  signal: AbortSignal,
): Promise<RedirectableResponse> {
  const { method = 'GET', body } = request
  const options: RequestOptions = {
    method,
    agent: false,
    signal,
    headers: {
      Accept: 'application/json',
      'User-Agent': 'Linnet',
      ...request.headers,
      ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    },
    ...(addresses ? { lookup: lookupReturning(addresses) } : {}),
  }
  const clientRequest = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      clientRequest.once('response', resolve)
      clientRequest.on('error', reject)
      clientRequest.end(body)
    })
    return {
      status: response.statusCode!,
      contentType: response.headers['content-type'] ?? '',
      location: response.headers.location ?? null,
      text: await readText(url, response),
    }
  } catch (error) {
    if (error instanceof OutboundError) throw error
    const reason = signal.aborted ? 'took too long' : (error as Error).message
    throw new OutboundError(`${url.host}: ${reason}`, { cause: error })
  } finally {
    clientRequest.destroy()
  }
}

async function readText(url: URL, response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new OutboundError(`${url.host} responds with more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A lookup function that resolves any name to these addresses. */
function lookupReturning(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, options, callback) => {
    if (options.all) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  }
}

function redirectLocation({ status, location }: RedirectableResponse): string | null {
  return [301, 302, 303, 307, 308].includes(status) ? location : null
}

function withoutAuthorization(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'),
  )
}
