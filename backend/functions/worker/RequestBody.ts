import type { ReadableByteStreamController } from 'node:stream/web'

/**
 * The body of a request, complete or in chunks from the server. Credit is granted as chunks are read, so that a fast
 * client cannot fill the memory of this process.
 */
export class RequestBody {
  readonly #onConsumed: (bytes: number) => void
  readonly #chunks: Uint8Array[] = []
  #isComplete = false
  #error: Error | null = null
  #wake: (() => void) | null = null

  /** @param onConsumed called with the number of bytes read, to grant credit */
  constructor(onConsumed: (bytes: number) => void) {
    this.#onConsumed = onConsumed
  }

  static of(bytes: Uint8Array): RequestBody {
    const body = new RequestBody(() => {})
    body.push(bytes)
    body.end()
    return body
  }

  push(chunk: Uint8Array): void {
    if (this.#error) return
    this.#chunks.push(chunk)
    this.#wake?.()
  }

  end(): void {
    this.#isComplete = true
    this.#wake?.()
  }

  fail(error: Error): void {
    if (this.#isComplete) return
    this.#error = error
    this.#chunks.length = 0
    this.#wake?.()
  }

  /** The complete body; rejects if the client disconnected before its end. */
  async whole(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    for (let chunk = await this.#next(); chunk; chunk = await this.#next()) chunks.push(chunk)
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream(
      {
        type: 'bytes',
        pull: async (controller: ReadableByteStreamController) => {
          const chunk = await this.#next()
          // Copied, since a reader may transfer the buffer, which others share.
          if (chunk) return controller.enqueue(Uint8Array.from(chunk))
          controller.close()
          // A BYOB reader may be waiting.
          controller.byobRequest?.respond(0)
        },
        cancel: () => this.fail(new TypeError('The body was cancelled')),
      },
      { highWaterMark: 0 },
    )
  }

  async #next(): Promise<Uint8Array | null> {
    for (;;) {
      if (this.#error) throw this.#error
      const chunk = this.#chunks.shift()
      if (chunk && chunk.length > 0) {
        this.#onConsumed(chunk.length)
        return chunk
      }
      if (!chunk && this.#isComplete) return null
      if (!chunk) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }
}
