/** In bytes, enough for an ordinary transaction; a larger buffer is released after use. */
const initialCapacity = 32 * 1024

const [PARSE, BIND, DESCRIBE, EXECUTE, CLOSE, SYNC] = [0x50, 0x42, 0x44, 0x45, 0x43, 0x53]
const [STATEMENT, PORTAL] = [0x53, 0x50]

/**
 * Messages of PostgreSQL's extended query protocol (its manual, "Message Formats"), consecutive in one
 * buffer, so that they are sent by one write. Only the unnamed portal is used; parameters are sent as text, buffers as
 * binary; results are requested as text.
 */
export class MessageWriter {
  #bytes = Buffer.allocUnsafe(initialCapacity)
  #at = 0

  parse(id: string, text: string): void {
    const start = this.#begin(PARSE)
    this.#cString(id)
    this.#cString(text)
    this.#int16(0)
    this.#end(start)
  }

  bind(id: string, values: (string | Buffer | null)[]): void {
    const start = this.#begin(BIND)
    this.#cString('')
    this.#cString(id)
    this.#int16(values.length)
    for (const value of values) this.#int16(value instanceof Buffer ? 1 : 0)
    this.#int16(values.length)
    for (const value of values) this.#value(value)
    this.#int16(0)
    this.#end(start)
  }

  /** The columns of the portal that was bound last. */
  describe(): void {
    const start = this.#begin(DESCRIBE)
    this.#byte(PORTAL)
    this.#cString('')
    this.#end(start)
  }

  /** All rows of the portal that was bound last. */
  execute(): void {
    const start = this.#begin(EXECUTE)
    this.#cString('')
    this.#int32(0)
    this.#end(start)
  }

  close(id: string): void {
    const start = this.#begin(CLOSE)
    this.#byte(STATEMENT)
    this.#cString(id)
    this.#end(start)
  }

  sync(): void {
    this.#end(this.#begin(SYNC))
  }

  /** The bytes written since the last call. */
  take(): Buffer {
    // A copy: the socket may still refer to it when the next transaction overwrites the buffer.
    const written = Buffer.from(this.#bytes.subarray(0, this.#at))
    this.#at = 0
    if (this.#bytes.length > initialCapacity) this.#bytes = Buffer.allocUnsafe(initialCapacity)
    return written
  }

  /** Returns the offset of the length field, which counts itself and what follows. */
  #begin(type: number): number {
    this.#byte(type)
    this.#int32(0)
    return this.#at - 4
  }

  #end(start: number): void {
    this.#bytes.writeInt32BE(this.#at - start, start)
  }

  #value(value: string | Buffer | null): void {
    if (value === null) return this.#int32(-1)
    if (typeof value === 'string') {
      this.#int32(0)
      const start = this.#at
      this.#text(value)
      this.#bytes.writeInt32BE(this.#at - start, start - 4)
      return
    }
    this.#int32(value.length)
    this.#reserve(value.length)
    this.#at += value.copy(this.#bytes, this.#at)
  }

  #cString(text: string): void {
    if (text !== '') this.#text(text)
    this.#byte(0)
  }

  #text(text: string): void {
    // A UTF-16 unit takes at most three bytes; counting pays off only for long text.
    this.#reserve(text.length < initialCapacity ? text.length * 3 : Buffer.byteLength(text))
    this.#at += this.#bytes.write(text, this.#at)
  }

  #byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#at++] = value
  }

  #int16(value: number): void {
    this.#reserve(2)
    this.#at = this.#bytes.writeUInt16BE(value, this.#at)
  }

  #int32(value: number): void {
    this.#reserve(4)
    this.#at = this.#bytes.writeInt32BE(value, this.#at)
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + count))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}
