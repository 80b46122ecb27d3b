import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  headers: Record<string, string | undefined>
  text: string
}

interface Waiting {
  /** An answer to HEAD tells a length and has no body. */
  method: string
  /** The whole request, should it have to be said again. */
  text: string
  resolve(answer: Answer): void
}

const CONNECTIONS = 8

/** An answer at the beginning of `got` and where it ends; null while it is not whole. */
function readAnswer(got: Buffer, method: string): { answer: Answer; end: number } | null {
  const headEnd = got.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [first, ...lines] = got.toString('latin1', 0, headEnd).split('\r\n')
  const headers: Answer['headers'] = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const status = Number(first!.split(' ')[1])
  let at = headEnd + 4
  if (method === 'HEAD' || status === 204) return { answer: { status, headers, text: '' }, end: at }
  if (headers['transfer-encoding'] !== 'chunked') {
    const end = at + Number(headers['content-length'] ?? 0)
    return got.length < end ? null : { answer: { status, headers, text: got.toString('utf8', at, end) }, end }
  }
  const chunks: Buffer[] = []
  for (;;) {
    const sizeEnd = got.indexOf('\r\n', at)
    if (sizeEnd < 0) return null
    const size = Number.parseInt(got.toString('latin1', at, sizeEnd), 16)
    const end = sizeEnd + 2 + size + 2
    if (got.length < end) return null
    if (size === 0) return { answer: { status, headers, text: Buffer.concat(chunks).toString() }, end }
    chunks.push(got.subarray(sizeEnd + 2, end - 2))
    at = end
  }
}

/**
 * One connection, on which requests follow each other without waiting for answers, which keep their order. A server that
 * is busy for half a second may end it behind a request whose body it did not want: then a new one asks the rest again.
 */
class Line {
  readonly #url: URL
  #socket: Socket
  #isClosed = false
  readonly #waiting: Waiting[] = []
  #got: Buffer = Buffer.alloc(0)

  constructor(url: URL) {
    this.#url = url
    this.#socket = this.#connect()
  }

  #connect(): Socket {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true })
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error
    })
    socket.on('close', () => {
      if (this.#isClosed) return
      this.#got = Buffer.alloc(0)
      this.#socket = this.#connect()
      for (const { text } of this.#waiting) this.#socket.write(text)
    })
    return socket
  }

  #take(chunk: Buffer): void {
    this.#got = this.#got.length === 0 ? chunk : Buffer.concat([this.#got, chunk])
    while (this.#waiting.length > 0) {
      const whole = readAnswer(this.#got, this.#waiting[0]!.method)
      if (whole === null) return
      this.#got = this.#got.subarray(whole.end)
      this.#waiting.shift()!.resolve(whole.answer)
    }
  }

  send(method: string, text: string): Promise<Answer> {
    return new Promise((resolve) => {
      this.#waiting.push({ method, text, resolve })
      const socket = this.#socket
      socket.cork()
      socket.write(text)
      // All that is asked in one turn goes in one write.
      setImmediate(() => socket.uncork())
    })
  }

  close(): void {
    this.#isClosed = true
    this.#socket.destroy()
  }
}

/** Requests to one backend, pipelined on few connections: thousands of cells want neither handshakes nor waiting. */
export class Asker {
  readonly #host: string
  readonly #key: string
  readonly #lines: Line[]
  #next = 0

  constructor(url: string, publishableKey: string) {
    const to = new URL(url)
    this.#host = to.host
    this.#key = publishableKey
    this.#lines = Array.from({ length: CONNECTIONS }, () => new Line(to))
  }

  /** @param token null: the public key alone */
  ask(
    path: string,
    token: string | null,
    o: { method?: string; body?: string | undefined; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
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
    return this.#lines[this.#next++ % CONNECTIONS]!.send(method, text)
  }

  close(): void {
    for (const line of this.#lines) line.close()
  }
}
