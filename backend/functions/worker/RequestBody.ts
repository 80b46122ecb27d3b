import type { ReadableByteStreamController } from 'node:stream/web'

/**
 * A request's body: whole at once, or piece by piece as the house sends it. Pieces are asked for as they are
 * read, so that a client that sends fast can't fill this process.
 */
export class RequestBody {
  readonly #isRead: (bytes: number) => void
  readonly #pieces: Uint8Array[] = []
  #isComplete = false
  #failure: Error | null = null
  #wake: (() => void) | null = null

  /** @param isRead told how many bytes were taken, which makes room for as many */
  constructor(isRead: (bytes: number) => void) {
    this.#isRead = isRead
  }

  static of(bytes: Uint8Array): RequestBody {
    const body = new RequestBody(() => {})
    body.push(bytes)
    body.end()
    return body
  }

  push(piece: Uint8Array): void {
    if (this.#failure) return
    this.#pieces.push(piece)
    this.#wake?.()
  }

  end(): void {
    this.#isComplete = true
    this.#wake?.()
  }

  fail(error: Error): void {
    if (this.#isComplete) return
    this.#failure = error
    this.#pieces.length = 0
    this.#wake?.()
  }

  /** All of it; rejects where the client left before the end. */
  async whole(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = []
    for (let piece = await this.#next(); piece; piece = await this.#next()) pieces.push(piece)
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream(
      {
        type: 'bytes',
        pull: async (controller: ReadableByteStreamController) => {
          const piece = await this.#next()
          // Copied, since a reader may take the memory for its own, and others share it.
          if (piece) return controller.enqueue(Uint8Array.from(piece))
          controller.close()
          // Somebody may wait with a buffer of his own.
          controller.byobRequest?.respond(0)
        },
        cancel: () => this.fail(new TypeError('The body is not wanted')),
      },
      { highWaterMark: 0 },
    )
  }

  async #next(): Promise<Uint8Array | null> {
    for (;;) {
      if (this.#failure) throw this.#failure
      const piece = this.#pieces.shift()
      if (piece && piece.length > 0) {
        this.#isRead(piece.length)
        return piece
      }
      if (!piece && this.#isComplete) return null
      if (!piece) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }
}
