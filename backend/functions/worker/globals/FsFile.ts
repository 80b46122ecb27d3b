import type { FileHandle } from 'node:fs/promises'
import { asDenoError } from './errors.ts'
import { fileInfo } from './fileInfo.ts'

const translated = async <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw asDenoError(error)
  })

/** `Deno.FsFile`: an open file with a position. */
export class FsFile {
  readonly #handle: FileHandle
  readonly #appends: boolean
  #position = 0

  constructor(handle: FileHandle, appends: boolean) {
    this.#handle = handle
    this.#appends = appends
  }

  /** Returns the number of bytes read; null at the end. */
  async read(into: Uint8Array): Promise<number | null> {
    const { bytesRead } = await translated(this.#handle.read(into, 0, into.byteLength, this.#position))
    this.#position += bytesRead
    return bytesRead === 0 && into.byteLength > 0 ? null : bytesRead
  }

  /** Returns the number of bytes written. */
  async write(bytes: Uint8Array): Promise<number> {
    const at = this.#appends ? null : this.#position
    const { bytesWritten } = await translated(this.#handle.write(bytes, 0, bytes.byteLength, at))
    this.#position += bytesWritten
    return bytesWritten
  }

  /** `whence`: 0 from the start, 1 from the position, 2 from the end. Returns the new position. */
  async seek(offset: number | bigint, whence: number): Promise<number> {
    const from = [0, this.#position, whence === 2 ? (await this.#handle.stat()).size : 0][whence] ?? 0
    return (this.#position = Math.max(0, from + Number(offset)))
  }

  async stat(): Promise<Record<string, unknown>> {
    return fileInfo(await translated(this.#handle.stat()))
  }

  truncate(length = 0): Promise<void> {
    return translated(this.#handle.truncate(length))
  }

  sync(): Promise<void> {
    return translated(this.#handle.sync())
  }

  get readable(): ReadableStream<Uint8Array> {
    return new ReadableStream({
      type: 'bytes',
      pull: async (controller) => {
        const bytes = new Uint8Array(65_536)
        const count = await this.read(bytes)
        if (count !== null) return controller.enqueue(bytes.subarray(0, count))
        controller.close()
        this.close()
      },
      cancel: () => this.close(),
    })
  }

  get writable(): WritableStream<Uint8Array> {
    return new WritableStream({
      write: async (bytes) => {
        for (let at = 0; at < bytes.byteLength;) at += await this.write(bytes.subarray(at))
      },
      close: () => this.close(),
      abort: () => this.close(),
    })
  }

  close(): void {
    // Not awaited, as in Deno.
    void this.#handle.close().catch(() => {})
  }
}
