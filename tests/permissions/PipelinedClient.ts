import { connect, type Socket } from 'node:net'

export interface HttpResponse {
  status: number
  headers: Record<string, string | undefined>
  text: string
}

interface PendingRequest {
  /** A response to HEAD has a content-length but no body. */
  method: string
  /** The whole request, in case it must be sent again. */
  text: string
  resolve(response: HttpResponse): void
}

const CONNECTIONS = 8

/** The response at the start of `received` and where it ends; null while it is incomplete. */
function readResponse(received: Buffer, method: string): { response: HttpResponse; end: number } | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [first, ...lines] = received.toString('latin1', 0, headEnd).split('\r\n')
  const headers: HttpResponse['headers'] = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const status = Number(first!.split(' ')[1])
  let at = headEnd + 4
  if (method === 'HEAD' || status === 204) return { response: { status, headers, text: '' }, end: at }
  if (headers['transfer-encoding'] !== 'chunked') {
    const end = at + Number(headers['content-length'] ?? 0)
    return received.length < end
      ? null
      : { response: { status, headers, text: received.toString('utf8', at, end) }, end }
  }
  const chunks: Buffer[] = []
  for (;;) {
    const sizeEnd = received.indexOf('\r\n', at)
    if (sizeEnd < 0) return null
    const size = Number.parseInt(received.toString('latin1', at, sizeEnd), 16)
    const end = sizeEnd + 2 + size + 2
    if (received.length < end) return null
    if (size === 0) return { response: { status, headers, text: Buffer.concat(chunks).toString() }, end }
    chunks.push(received.subarray(sizeEnd + 2, end - 2))
    at = end
  }
}

/**
 * One connection with pipelined requests; responses keep their order. A server that is busy for half a second may close
 * it after a request whose body it did not read: the requests without a response are then sent again on a new one.
 */
class Connection {
  readonly #url: URL
  #socket: Socket
  #isClosed = false
  readonly #pending: PendingRequest[] = []
  #received: Buffer = Buffer.alloc(0)

  constructor(url: URL) {
    this.#url = url
    this.#socket = this.#connect()
  }

  #connect(): Socket {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true })
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error
    })
    socket.on('close', () => {
      if (this.#isClosed) return
      this.#received = Buffer.alloc(0)
      this.#socket = this.#connect()
      for (const { text } of this.#pending) this.#socket.write(text)
    })
    return socket
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    while (this.#pending.length > 0) {
      const whole = readResponse(this.#received, this.#pending[0]!.method)
      if (whole === null) return
      this.#received = this.#received.subarray(whole.end)
      this.#pending.shift()!.resolve(whole.response)
    }
  }

  send(method: string, text: string): Promise<HttpResponse> {
    return new Promise((resolve) => {
      this.#pending.push({ method, text, resolve })
      const socket = this.#socket
      socket.cork()
      socket.write(text)
      // Requests of one turn of the event loop go in one write.
      setImmediate(() => socket.uncork())
    })
  }

  close(): void {
    this.#isClosed = true
    this.#socket.destroy()
  }
}

/** Requests to one server, pipelined on few connections: thousands of cases need neither handshakes nor round trips. */
export class PipelinedClient {
  readonly #host: string
  readonly #key: string
  readonly #connections: Connection[]
  #next = 0

  constructor(url: string, publishableKey: string) {
    const to = new URL(url)
    this.#host = to.host
    this.#key = publishableKey
    this.#connections = Array.from({ length: CONNECTIONS }, () => new Connection(to))
  }

  /** @param token null: the public key alone */
  request(
    path: string,
    token: string | null,
    o: { method?: string; body?: string | undefined; headers?: Record<string, string> } = {},
  ): Promise<HttpResponse> {
    const { method = 'GET', body = '' } = o
    const headers: Record<string, string> = {
      host: this.#host,
      apikey: this.#key,
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(o.body !== undefined && { 'content-type': 'application/json' }),
      'content-length': String(Buffer.byteLength(body)),
      ...o.headers,
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const text = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
    return this.#connections[this.#next++ % CONNECTIONS]!.send(method, text)
  }

  close(): void {
    for (const line of this.#connections) line.close()
  }
}
