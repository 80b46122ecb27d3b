import { bodyKind, bodyWindow, maxChunk, toServer } from '../ipc/frames.ts'
import type { FrameWriter } from '../ipc/FrameWriter.ts'
import type { Handler, HandlerInfo } from '../functionTypes.ts'
import { IncomingRequest } from './IncomingRequest.ts'
import { partsOf, type ResponseParts } from './OutgoingResponse.ts'
import { RequestBody } from './RequestBody.ts'
import { printError } from './printError.ts'

/** Maximum bytes of a response head, the server's limit. */
const maxHeadLength = 65_536

const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

const peerOf = (peer: string): HandlerInfo => {
  const [hostname = '', port = ''] = peer.split(' ')
  return { remoteAddr: { transport: 'tcp', hostname, port: Number(port) } }
}

/** One request and its response in the worker. */
export class RequestHandling {
  readonly #id: number
  readonly #writer: FrameWriter
  readonly #request: IncomingRequest
  readonly body: RequestBody | null
  #credit = bodyWindow
  #consumed = 0
  #isCancelled = false
  #wake: (() => void) | null = null

  /** @param kind how the body is sent; @param whole the body if it is complete */
  constructor(writer: FrameWriter, id: number, head: string, kind: number, whole: Uint8Array) {
    this.#writer = writer
    this.#id = id
    this.body =
      kind === bodyKind.none
        ? null
        : kind === bodyKind.whole
          ? RequestBody.of(whole)
          : new RequestBody((bytes) => this.#onConsumed(bytes))
    this.#request = new IncomingRequest(head.split('\n'), this.body)
  }

  /** Resolves when the response was sent or is no longer needed. Never rejects. */
  async run(handler: Handler): Promise<void> {
    const request = this.#request
    try {
      const response = await handler(request as unknown as Request, peerOf(request.peer))
      await this.#send(partsOf(response))
    } catch (error) {
      if (this.#isCancelled) return
      printError(error)
      this.#sendHead({ status: 500, statusText: '', headers: [], body: 'Internal Server Error' })
    }
  }

  /** The client has disconnected: its body is incomplete, and the response not needed. */
  cancel(): void {
    this.#isCancelled = true
    this.#request.onDisconnect()
    this.#wake?.()
  }

  addCredit(bytes: number): void {
    this.#credit += bytes
    this.#wake?.()
  }

  #onConsumed(bytes: number): void {
    this.#consumed += bytes
    if (this.#consumed < bodyWindow / 4) return
    this.#writer.sendNumbers(toServer.credit, this.#id, this.#consumed)
    this.#consumed = 0
  }

  async #send(parts: ResponseParts): Promise<void> {
    const { body } = parts
    if (!(body instanceof ReadableStream)) {
      const length = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.length
      if (length <= bodyWindow) return this.#sendHead(parts)
      const bytes = typeof body === 'string' ? Buffer.from(body) : body!
      this.#sendHead({ ...parts, headers: [...parts.headers, 'content-length', String(length)] }, true)
      await this.#sendChunks(bytes)
      return this.#writer.send(toServer.chunkEnd, this.#id)
    }
    if (this.#request.method === 'HEAD' || hasNoBody(parts.status)) {
      await body.cancel()
      return this.#sendHead({ ...parts, body: null })
    }
    this.#sendHead(parts, true)
    await this.#sendStream(body)
  }

  #sendHead(parts: ResponseParts, isStreamed = false): void {
    if (this.#isCancelled) return
    const { status } = parts
    const head =
      parts.headers.length === 0 ? parts.statusText : `${parts.statusText}\n${parts.headers.join('\n')}`
    if (head.length > maxHeadLength) throw new RangeError('The head of the response is too long')
    const body = isStreamed || hasNoBody(status) ? null : (parts.body as string | Uint8Array | null)
    const kind = isStreamed ? bodyKind.streamed : body === null ? bodyKind.none : bodyKind.whole
    this.#writer.sendMessage(toServer.response, this.#id, kind, status, head, body ?? '')
  }

  /** The head was sent: an error can only cut off the response. */
  async #sendStream(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || this.#isCancelled) break
        if (!(value instanceof Uint8Array)) throw new TypeError('A body must be made of Uint8Array')
        await this.#sendChunks(value)
      }
      if (this.#isCancelled) await reader.cancel(new DOMException('The client has left', 'AbortError'))
      else this.#writer.send(toServer.chunkEnd, this.#id)
    } catch (error) {
      if (this.#isCancelled) return
      printError(error)
      reader.cancel(error).catch(() => {})
      this.#writer.send(toServer.chunkFailed, this.#id)
    }
  }

  async #sendChunks(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      while (this.#credit <= 0 && !this.#isCancelled) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
      if (this.#isCancelled) return
      const chunk = bytes.subarray(at, at + Math.min(maxChunk, this.#credit))
      this.#writer.send(toServer.chunk, this.#id, chunk)
      this.#credit -= chunk.length
      at += chunk.length
    }
  }
}
