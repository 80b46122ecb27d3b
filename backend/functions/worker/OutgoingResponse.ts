const NativeResponse = globalThis.Response

type Body = ConstructorParameters<typeof NativeResponse>[0] | null

/** A response to send: `body` is complete, or a stream. */
export interface ResponseParts {
  status: number
  statusText: string
  /** Alternating lower-case names and values. */
  headers: string[]
  body: string | Uint8Array | ReadableStream<Uint8Array> | null
}

const plainName = /^[a-z0-9-]+$/
const plainValue = /^[!-~](?:[ -~]*[!-~])?$/

/** The pairs of a plain record with simple names and values; null if the platform must validate them. */
function pairsOf(init: unknown): string[] | null {
  if (init === undefined) return []
  if (typeof init !== 'object' || init === null || Object.getPrototypeOf(init) !== Object.prototype)
    return null
  const pairs: string[] = []
  for (const [name, value] of Object.entries(init)) {
    const lower = name.toLowerCase()
    if (typeof value !== 'string' || !plainName.test(lower) || !plainValue.test(value)) return null
    if (pairs.includes(lower)) return null
    pairs.push(lower, value)
  }
  return pairs
}

function flat(headers: Headers): string[] {
  const pairs: string[] = []
  for (const [name, value] of headers) pairs.push(name, value)
  return pairs
}

const isBytes = (body: unknown): body is ArrayBuffer | ArrayBufferView =>
  body instanceof ArrayBuffer || ArrayBuffer.isView(body)

const bytesOf = (body: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(body)
    ? Uint8Array.from(new Uint8Array(body.buffer, body.byteOffset, body.byteLength))
    : new Uint8Array(body.slice(0))

/** Statuses of a simple response with a body; the platform validates others. */
const isPlainStatus = (status: unknown): status is number =>
  Number.isInteger(status) &&
  (status as number) >= 200 &&
  (status as number) <= 599 &&
  status !== 204 &&
  status !== 205 &&
  status !== 304

/**
 * `Response` for functions. One of text or bytes is converted to a native response only when more than status and
 * headers is used: creating and reading a native one costs more than everything else in a short request.
 */
class OutgoingResponse {
  #status = 200
  #statusText = ''
  #pairs: string[] = []
  #headers: Headers | null = null
  #body: string | Uint8Array | null = null
  #native: Response | null = null

  constructor(body: Body = null, init: ResponseInit = {}) {
    const { status = 200, statusText = '' } = init
    const pairs = pairsOf(init.headers)
    const isText = typeof body === 'string'
    if (pairs && (isText || isBytes(body)) && isPlainStatus(status) && statusText === '') {
      this.#status = status
      this.#pairs = pairs
      this.#body = isText ? body : bytesOf(body)
      if (isText && !pairs.includes('content-type')) pairs.push('content-type', 'text/plain;charset=UTF-8')
      return
    }
    this.#native = new NativeResponse(body, init)
  }

  static json(data: unknown, init: ResponseInit = {}): Response {
    const text = JSON.stringify(data)
    if (text === undefined) throw new TypeError('Value is not JSON serializable')
    const pairs = pairsOf(init.headers)
    if (pairs === null) return NativeResponse.json(data, init)
    if (!pairs.includes('content-type')) pairs.push('content-type', 'application/json')
    const headers: Record<string, string> = {}
    for (let i = 0; i < pairs.length; i += 2) headers[pairs[i]!] = pairs[i + 1]!
    return new OutgoingResponse(text, { ...init, headers }) as unknown as Response
  }

  static error(): Response {
    return NativeResponse.error()
  }

  static redirect(url: string | URL, status: 301 | 302 | 303 | 307 | 308 = 302): Response {
    return NativeResponse.redirect(url, status)
  }

  /** True for all responses: constructed, fetched or cloned. */
  static [Symbol.hasInstance](value: unknown): boolean {
    const here = this === OutgoingResponse ? NativeResponse : this
    return Function.prototype[Symbol.hasInstance].call(here, value)
  }

  /** The parts of a handler's response. Throws TypeError if its body has been read already. */
  static parts(response: Response): ResponseParts {
    const ours = #body in response ? (response as unknown as OutgoingResponse) : null
    if (ours && !ours.#native) {
      const headers = ours.#headers ? flat(ours.#headers) : ours.#pairs
      return { status: ours.#status, statusText: '', headers, body: ours.#body }
    }
    const native = ours ? ours.native() : response
    if (native.bodyUsed) throw new TypeError('The body of the response has already been read')
    const { status, statusText, body } = native
    return { status, statusText, headers: flat(response.headers), body }
  }

  get status(): number {
    return this.#native?.status ?? this.#status
  }

  get statusText(): string {
    return this.#native?.statusText ?? this.#statusText
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299
  }

  get headers(): Headers {
    if (this.#headers) return this.#headers
    if (this.#native) return this.#native.headers
    const headers = new Headers()
    for (let i = 0; i < this.#pairs.length; i += 2) headers.append(this.#pairs[i]!, this.#pairs[i + 1]!)
    this.#headers = headers
    return headers
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.native().body
  }

  get bodyUsed(): boolean {
    return this.#native?.bodyUsed ?? false
  }

  get type(): Response['type'] {
    return this.#native?.type ?? 'default'
  }

  get url(): string {
    return this.#native?.url ?? ''
  }

  get redirected(): boolean {
    return this.#native?.redirected ?? false
  }

  native(): Response {
    this.#native ??= new NativeResponse(this.#body as Body, {
      status: this.#status,
      headers: this.headers,
    })
    return this.#native
  }

  text(): Promise<string> {
    return this.native().text()
  }

  json(): Promise<unknown> {
    return this.native().json()
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.native().arrayBuffer()
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.arrayBuffer())
  }

  blob(): Promise<Blob> {
    return this.native().blob()
  }

  formData(): Promise<FormData> {
    return this.native().formData()
  }

  clone(): Response {
    return this.native().clone()
  }

  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    return { status: this.status, headers: Object.fromEntries(this.headers) }
  }
}

/** The parts of a handler's response, ready to be sent. */
export const partsOf = (response: Response): ResponseParts => OutgoingResponse.parts(response)

/** Replaces the platform's `Response`. */
export function installResponse(): void {
  Object.setPrototypeOf(OutgoingResponse.prototype, NativeResponse.prototype)
  Object.defineProperty(OutgoingResponse, 'name', { value: 'Response' })
  globalThis.Response = OutgoingResponse as unknown as typeof Response
}
