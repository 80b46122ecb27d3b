import { RequestBody } from './RequestBody.ts'

const NativeRequest = globalThis.Request
const nativeFetch = globalThis.fetch

type Input = Request | URL | string

const unusable = (): TypeError => new TypeError('Body is unusable: it has already been read')

/** Line by line: method, address, peer, then names and values of headers. */
type Head = string[]

/**
 * A request from the server that is converted to a native one only when a member beyond the few here is used: creating
 * a native one costs more than everything else in a short request.
 */
export class IncomingRequest {
  readonly method: string
  readonly url: string
  /** The client's address. */
  readonly peer: string
  readonly #head: Head
  readonly #body: RequestBody | null
  #headers: Headers | null = null
  #abort: AbortController | null = null
  #isDisconnected = false
  #isUsed = false
  #native: Request | null = null

  constructor(head: Head, body: RequestBody | null) {
    this.method = head[0]!
    this.url = head[1]!
    this.peer = head[2]!
    this.#head = head
    this.#body = body
  }

  get headers(): Headers {
    if (this.#headers) return this.#headers
    const headers = new Headers()
    const head = this.#head
    for (let i = 3; i + 1 < head.length; i += 2) headers.append(head[i]!, head[i + 1]!)
    this.#headers = headers
    return headers
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController()
      if (this.#isDisconnected) this.#abort.abort()
    }
    return this.#abort.signal
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.#body === null ? null : this.native().body
  }

  get bodyUsed(): boolean {
    return this.#native ? this.#native.bodyUsed : this.#isUsed
  }

  /** The native request, for platform functions that require one. */
  native(): Request {
    if (this.#native) return this.#native
    if (this.#isUsed) throw unusable()
    const { method } = this
    const init: RequestInit & { duplex: 'half' } = {
      method,
      headers: this.headers,
      signal: this.signal,
      duplex: 'half',
    }
    if (this.#body) init.body = this.#body.stream()
    this.#native = new NativeRequest(this.url, init)
    return this.#native
  }

  async text(): Promise<string> {
    if (this.#native) return this.#native.text()
    return new TextDecoder().decode(await this.#read())
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    if (this.#native) return this.#native.arrayBuffer()
    return Uint8Array.from(await this.#read()).buffer
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.arrayBuffer())
  }

  async blob(): Promise<Blob> {
    return this.native().blob()
  }

  async formData(): Promise<FormData> {
    return this.native().formData()
  }

  clone(): Request {
    return this.native().clone()
  }

  /** To be called when the client has disconnected. */
  onDisconnect(): void {
    this.#isDisconnected = true
    this.#abort?.abort()
    this.#body?.fail(new DOMException('The client has disconnected', 'AbortError'))
  }

  async #read(): Promise<Uint8Array> {
    if (this.#isUsed) throw unusable()
    if (this.#body === null) return new Uint8Array()
    this.#isUsed = true
    return this.#body.whole()
  }

  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    return { method: this.method, url: this.url, headers: Object.fromEntries(this.headers) }
  }
}

/** Rarely used members. */
for (const name of [
  'cache',
  'credentials',
  'destination',
  'duplex',
  'integrity',
  'keepalive',
  'mode',
  'redirect',
  'referrer',
  'referrerPolicy',
] as const) {
  Object.defineProperty(IncomingRequest.prototype, name, {
    configurable: true,
    get(this: IncomingRequest) {
      return (this.native() as unknown as Record<string, unknown>)[name]
    },
  })
}
Object.setPrototypeOf(IncomingRequest.prototype, NativeRequest.prototype)

const nativeOf = (input: unknown): Input =>
  input instanceof IncomingRequest ? input.native() : (input as Input)

/** Node requires `duplex: 'half'` for a streamed body; Deno does not. */
function withDuplex(init?: RequestInit): RequestInit | undefined {
  return init?.body instanceof ReadableStream ? ({ duplex: 'half', ...init } as RequestInit) : init
}

class FunctionRequest extends NativeRequest {
  constructor(input: Input, init?: RequestInit) {
    super(nativeOf(input), withDuplex(init))
  }

  /** True for all requests: incoming, constructed or cloned. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const here = this === FunctionRequest ? NativeRequest : this
    return Function.prototype[Symbol.hasInstance].call(here, value)
  }
}

/** Makes `Request` and `fetch` accept an IncomingRequest. */
export function installRequest(): void {
  Object.defineProperty(FunctionRequest, 'name', { value: 'Request' })
  globalThis.Request = FunctionRequest
  globalThis.fetch = (input, init) => nativeFetch(nativeOf(input), withDuplex(init))
}
