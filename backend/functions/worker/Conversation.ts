import { bodyKind, bodyWindow, longestPiece, toHouse } from '../ipc/frames.ts'
import type { FrameWriter } from '../ipc/FrameWriter.ts'
import type { Handler, HandlerInfo } from '../functionSeam.ts'
import { IncomingRequest } from './IncomingRequest.ts'
import { partsOf, type ResponseParts } from './OutgoingResponse.ts'
import { RequestBody } from './RequestBody.ts'
import { tellError } from './tellError.ts'

/** Bytes of heads at most, as the house takes them. */
const longestHead = 65_536

const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

const peerOf = (peer: string): HandlerInfo => {
  const [hostname = '', port = ''] = peer.split(' ')
  return { remoteAddr: { transport: 'tcp', hostname, port: Number(port) } }
}

/** One request and its answer, seen from the function. */
export class Conversation {
  readonly #id: number
  readonly #writer: FrameWriter
  readonly #request: IncomingRequest
  readonly body: RequestBody | null
  #credit = bodyWindow
  #taken = 0
  #isCancelled = false
  #wake: (() => void) | null = null

  /** @param kind how the body comes; @param whole the body where it is there already */
  constructor(writer: FrameWriter, id: number, head: string, kind: number, whole: Uint8Array) {
    this.#writer = writer
    this.#id = id
    this.body =
      kind === bodyKind.none
        ? null
        : kind === bodyKind.whole
          ? RequestBody.of(whole)
          : new RequestBody((bytes) => this.#isRead(bytes))
    this.#request = new IncomingRequest(head.split('\n'), this.body)
  }

  /** Resolves when the answer is out, or nobody wants it. Never rejects. */
  async run(handler: Handler): Promise<void> {
    const request = this.#request
    try {
      const response = await handler(request as unknown as Request, peerOf(request.peer))
      await this.#send(partsOf(response))
    } catch (error) {
      if (this.#isCancelled) return
      tellError(error)
      this.#sendHead({ status: 500, statusText: '', headers: [], body: 'Internal Server Error' })
    }
  }

  /** The client has left: neither is its body complete nor is the answer wanted. */
  cancel(): void {
    this.#isCancelled = true
    this.#request.leave()
    this.#wake?.()
  }

  addCredit(bytes: number): void {
    this.#credit += bytes
    this.#wake?.()
  }

  #isRead(bytes: number): void {
    this.#taken += bytes
    if (this.#taken < bodyWindow / 4) return
    this.#writer.sendNumbers(toHouse.credit, this.#id, this.#taken)
    this.#taken = 0
  }

  async #send(parts: ResponseParts): Promise<void> {
    const { body } = parts
    if (!(body instanceof ReadableStream)) {
      const length = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.length
      if (length <= bodyWindow) return this.#sendHead(parts)
      const bytes = typeof body === 'string' ? Buffer.from(body) : body!
      this.#sendHead({ ...parts, headers: [...parts.headers, 'content-length', String(length)] }, true)
      await this.#sendPieces(bytes)
      return this.#writer.send(toHouse.chunkEnd, this.#id)
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
    if (head.length > longestHead) throw new RangeError('The head of the response is too long')
    const body = isStreamed || hasNoBody(status) ? null : (parts.body as string | Uint8Array | null)
    const kind = isStreamed ? bodyKind.streamed : body === null ? bodyKind.none : bodyKind.whole
    this.#writer.sendMessage(toHouse.answer, this.#id, kind, status, head, body ?? '')
  }

  /** The head is out: whatever breaks now can only cut the answer off. */
  async #sendStream(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || this.#isCancelled) break
        if (!(value instanceof Uint8Array)) throw new TypeError('A body must be made of Uint8Array')
        await this.#sendPieces(value)
      }
      if (this.#isCancelled) await reader.cancel(new DOMException('The client has left', 'AbortError'))
      else this.#writer.send(toHouse.chunkEnd, this.#id)
    } catch (error) {
      if (this.#isCancelled) return
      tellError(error)
      reader.cancel(error).catch(() => {})
      this.#writer.send(toHouse.chunkFailed, this.#id)
    }
  }

  async #sendPieces(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      while (this.#credit <= 0 && !this.#isCancelled) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
      if (this.#isCancelled) return
      const piece = bytes.subarray(at, at + Math.min(longestPiece, this.#credit))
      this.#writer.send(toHouse.chunk, this.#id, piece)
      this.#credit -= piece.length
      at += piece.length
    }
  }
}
