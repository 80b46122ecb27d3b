import type { IncomingMessage } from 'node:http'
import { bodyKind, maxChunk } from '../ipc/frames.ts'

/** A body up to this size is buffered first, so that a slow client occupies no worker and a fast one needs one frame. */
const maxBufferedBody = 65_536

const none = Buffer.alloc(0)

/** The body of a request: none, small and buffered, or streamed with flow control. */
export class RequestReader {
  readonly kind: number
  /** The body, if it is small; available once `whenReady` has called back. */
  whole: Buffer = none
  readonly #incoming: IncomingMessage
  readonly #declared: number
  readonly #maxBytes: number
  #credit = 0

  /** @param maxBytes bytes of a body at most */
  constructor(incoming: IncomingMessage, maxBytes: number) {
    const { method, headers } = incoming
    this.#incoming = incoming
    this.#maxBytes = maxBytes
    this.#declared = Number(headers['content-length'] ?? 0)
    const isChunked = headers['transfer-encoding'] !== undefined
    if (method === 'GET' || method === 'HEAD' || (!isChunked && this.#declared === 0))
      this.kind = bodyKind.none
    else this.kind = isChunked || this.#declared > maxBufferedBody ? bodyKind.streamed : bodyKind.whole
  }

  whenReady(ready: () => void, onTooLarge: () => void): void {
    if (this.#declared > this.#maxBytes) return onTooLarge()
    if (this.kind !== bodyKind.whole) return ready()
    const chunks: Buffer[] = []
    this.#incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    this.#incoming.on('end', () => {
      this.whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      ready()
    })
  }

  stream(credit: number, onChunk: (chunk: Buffer) => void, onEnd: () => void, onTooLarge: () => void): void {
    const incoming = this.#incoming
    let length = 0
    this.#credit = credit
    incoming.on('data', (bytes: Buffer) => {
      length += bytes.length
      if (length > this.#maxBytes) return onTooLarge()
      for (let at = 0; at < bytes.length; at += maxChunk) onChunk(bytes.subarray(at, at + maxChunk))
      this.#credit -= bytes.length
      if (this.#credit <= 0) incoming.pause()
    })
    incoming.on('end', onEnd)
  }

  addCredit(bytes: number): void {
    this.#credit += bytes
    if (this.#credit > 0) this.#incoming.resume()
  }

  /** Reads and drops the rest, so that the connection can be reused. */
  stop(): void {
    if (this.kind === bodyKind.none || this.#incoming.readableEnded) return
    this.#incoming.removeAllListeners('data')
    this.#incoming.removeAllListeners('end')
    this.#incoming.resume()
  }
}
