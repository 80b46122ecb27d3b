import {
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { RequestFault, type Destination } from './findDestination.ts'

/** More than this of an answer is not kept. */
const mostBytes = 5 * 1024 * 1024
/** Until the next address of a name is tried. */
const nextAddressMs = 1_500

export interface Answer {
  status: number
  /** Name, value, name, value; as they came. */
  rawHeaders: string[]
  body: Buffer
}

/** When the connection stood, by performance.now(); 0 where it does not. */
export interface Steps {
  connected: number
}

/**
 * One request and its answer, over a connection of its own to the addresses of `to` and no other; redirects are
 * answers. Rejects with RequestFault in curl's words, or with the reason of `signal`.
 */
export async function exchange(o: {
  url: URL
  to: Destination
  method: string
  headers: [string, string][]
  body: Buffer | null
  steps: Steps
  signal: AbortSignal
}): Promise<Answer> {
  o.signal.throwIfAborted()
  o.steps.connected = 0
  let request: ClientRequest | undefined
  try {
    const opened = open(o)
    request = opened
    opened.on('socket', (socket) => {
      socket.once(isTls(o) ? 'secureConnect' : 'connect', () => {
        o.steps.connected = performance.now()
      })
    })
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      opened.once('response', resolve)
      opened.on('error', reject)
      opened.end(o.body ?? undefined)
    })
    const body = await read(response)
    return { status: response.statusCode!, rawHeaders: response.rawHeaders, body }
  } catch (error) {
    o.signal.throwIfAborted()
    throw error instanceof RequestFault
      ? error
      : new RequestFault(inCurlsWords(error as NodeJS.ErrnoException))
  } finally {
    request?.destroy()
  }
}

const isTls = ({ url, to }: { url: URL; to: Destination }): boolean =>
  (to.kind === 'house' ? to.door.protocol : url.protocol) === 'https:'

function open(o: Parameters<typeof exchange>[0]): ClientRequest {
  const { url, to } = o
  const headers: Record<string, string> = { Host: url.host }
  // Node writes each unit as a byte, so that text goes out as UTF-8.
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
    autoSelectFamilyAttemptTimeout: nextAddressMs,
  }
  if (to.kind === 'addresses') {
    // The name stays, for the certificate and its server; what it means has been settled.
    const target = { ...options, host: to.host, port: to.port, lookup: answerWith(to.addresses) }
    return isTls(o) ? requestHttps(target) : requestHttp(target)
  }
  const target = { ...options, host: to.door.host, port: to.door.port }
  // Nobody else listens there, and our own certificate is made out to a public name.
  return isTls(o) ? requestHttps({ ...target, rejectUnauthorized: false }) : requestHttp(target)
}

/** Resolves any name to these. */
function answerWith(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_, options, callback) => {
    if (options.all) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  }
}

async function read(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > mostBytes) throw new RequestFault(`The answer is larger than ${mostBytes / 1024 / 1024} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** What curl_easy_strerror says, as far as Node tells the same things apart. */
function inCurlsWords(error: NodeJS.ErrnoException): string {
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
    return 'A header or the URL holds characters that HTTP does not allow'
  }
  return 'Failure when receiving data from the peer'
}
