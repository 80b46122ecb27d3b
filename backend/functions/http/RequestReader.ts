import type { IncomingMessage } from 'node:http'
import { bodyKind, longestPiece } from '../ipc/frames.ts'

/** A body up to this size is awaited, so that a slow client occupies no worker and a quick one costs one frame. */
const smallBody = 65_536

const none = Buffer.alloc(0)

/** The body of a request: none, small and awaited, or streamed as far as the function takes it. */
export class RequestReader {
  readonly kind: number
  /** The body, where it is small; there once `whenReady` has called back. */
  whole: Buffer = none
  readonly #incoming: IncomingMessage
  readonly #declared: number
  readonly #most: number
  #credit = 0

  /** @param most bytes of a body at most */
  constructor(incoming: IncomingMessage, most: number) {
    const { method, headers } = incoming
    this.#incoming = incoming
    this.#most = most
    this.#declared = Number(headers['content-length'] ?? 0)
    const isChunked = headers['transfer-encoding'] !== undefined
    if (method === 'GET' || method === 'HEAD' || (!isChunked && this.#declared === 0))
      this.kind = bodyKind.none
    else this.kind = isChunked || this.#declared > smallBody ? bodyKind.streamed : bodyKind.whole
  }

  whenReady(ready: () => void, onTooLarge: () => void): void {
    if (this.#declared > this.#most) return onTooLarge()
    if (this.kind !== bodyKind.whole) return ready()
    const pieces: Buffer[] = []
    this.#incoming.on('data', (piece: Buffer) => pieces.push(piece))
    this.#incoming.on('end', () => {
      this.whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
      ready()
    })
  }

  stream(credit: number, onPiece: (piece: Buffer) => void, onEnd: () => void, onTooLarge: () => void): void {
    const incoming = this.#incoming
    let length = 0
    this.#credit = credit
    incoming.on('data', (bytes: Buffer) => {
      length += bytes.length
      if (length > this.#most) return onTooLarge()
      for (let at = 0; at < bytes.length; at += longestPiece) onPiece(bytes.subarray(at, at + longestPiece))
      this.#credit -= bytes.length
      if (this.#credit <= 0) incoming.pause()
    })
    incoming.on('end', onEnd)
  }

  addCredit(bytes: number): void {
    this.#credit += bytes
    if (this.#credit > 0) this.#incoming.resume()
  }

  /** Nobody wants the rest: it is read and dropped, so that the connection can serve again. */
  stop(): void {
    if (this.kind === bodyKind.none || this.#incoming.readableEnded) return
    this.#incoming.removeAllListeners('data')
    this.#incoming.removeAllListeners('end')
    this.#incoming.resume()
  }
}
