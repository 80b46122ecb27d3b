import {
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { RequestError, type Destination } from './findDestination.ts'

/** A larger response is refused. */
const maxResponseBytes = 5 * 1024 * 1024
/** Until the next address of a host is tried. */
const nextAddressDelayMs = 1_500

export interface HttpResponse {
  status: number
  /** Alternating names and values, as received. */
  rawHeaders: string[]
  body: Buffer
}

/** When the connection was established, by performance.now(); 0 if it is not. */
export interface ConnectionTimes {
  connected: number
}

/**
 * Sends one request over a connection of its own, to the addresses of `to` and no other; redirects are returned as
 * responses. Rejects with a RequestError in curl's words, or with the reason of `signal`.
 */
export async function exchange(o: {
  url: URL
  to: Destination
  method: string
  headers: [string, string][]
  body: Buffer | null
  times: ConnectionTimes
  signal: AbortSignal
}): Promise<HttpResponse> {
  o.signal.throwIfAborted()
  o.times.connected = 0
  let request: ClientRequest | undefined
  try {
    const outgoing = openRequest(o)
    request = outgoing
    outgoing.on('socket', (socket) => {
      socket.once(isTls(o) ? 'secureConnect' : 'connect', () => {
        o.times.connected = performance.now()
      })
    })
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve)
      outgoing.on('error', reject)
      outgoing.end(o.body ?? undefined)
    })
    const body = await readBody(response)
    return { status: response.statusCode!, rawHeaders: response.rawHeaders, body }
  } catch (error) {
    o.signal.throwIfAborted()
    throw error instanceof RequestError
      ? error
      : new RequestError(curlMessage(error as NodeJS.ErrnoException))
  } finally {
    request?.destroy()
  }
}

const isTls = ({ url, to }: { url: URL; to: Destination }): boolean =>
  (to.kind === 'server' ? to.endpoint.protocol : url.protocol) === 'https:'

function openRequest(o: Parameters<typeof exchange>[0]): ClientRequest {
  const { url, to } = o
  const headers: Record<string, string> = { Host: url.host }
  // Node writes each UTF-16 unit as one byte, so the text is sent as UTF-8.
  for (const [name, value] of o.headers) headers[name] = Buffer.from(value).toString('latin1')
  if (o.body) headers['Content-Length'] = String(o.body.length)
  const options: RequestOptions & { autoSelectFamilyAttemptTimeout: number } = {
    method: o.method,
    path: `${url.pathname}${url.search}`,
    headers,
    agent: false,
    signal: o.signal,
    insecureHTTPParser: false,
    maxHeaderSize: 64 * 1024,
    autoSelectFamilyAttemptTimeout: nextAddressDelayMs,
  }
  if (to.kind === 'addresses') {
    // The host stays, for the certificate and SNI; it resolves to the checked addresses only.
    const target = { ...options, host: to.host, port: to.port, lookup: fixedLookup(to.addresses) }
    return isTls(o) ? requestHttps(target) : requestHttp(target)
  }
  const target = { ...options, host: to.endpoint.host, port: to.endpoint.port }
  // This is our own port on loopback, and the certificate is issued for the public name.
  return isTls(o) ? requestHttps({ ...target, rejectUnauthorized: false }) : requestHttp(target)
}

/** A lookup that resolves any host to these addresses. */
function fixedLookup(addresses: string[]): LookupFunction {
  const resolved = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_, options, callback) => {
    if (options.all) callback(null, resolved)
    else callback(null, resolved[0]!.address, resolved[0]!.family)
  }
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxResponseBytes)
      throw new RequestError(`The response is larger than ${maxResponseBytes / 1024 / 1024} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The message of curl_easy_strerror, as far as Node distinguishes the same errors. */
function curlMessage(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error
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
  if (
    code === 'ERR_INVALID_CHAR' ||
    code === 'ERR_INVALID_HTTP_TOKEN' ||
    code === 'ERR_UNESCAPED_CHARACTERS'
  ) {
    return 'A header or the URL contains characters that HTTP does not allow'
  }
  return 'Failure when receiving data from the peer'
}
