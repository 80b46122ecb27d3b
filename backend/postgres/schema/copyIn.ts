import type { Client, Connection, Submittable } from 'pg'

/** COPY messages of the driver that its types lack. */
type CopyConnection = Connection & {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** Bytes sent in one message. */
const chunkBytes = 64 * 1024

class CopyIn implements Submittable {
  readonly #text: string
  readonly #data: string
  readonly #done: (error: Error | null) => void

  constructor(text: string, data: string, done: (error: Error | null) => void) {
    this.#text = text
    this.#data = data
    this.#done = done
  }

  submit(connection: Connection): void {
    connection.query(this.#text)
  }

  /** The server waits for rows. */
  handleCopyInResponse(connection: CopyConnection): void {
    const bytes = Buffer.from(this.#data)
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      connection.sendCopyFromChunk(bytes.subarray(at, at + chunkBytes))
    }
    connection.endCopyFrom()
  }

  /** The last call: the driver passes no message on after an error. */
  handleError(error: Error): void {
    this.#done(error)
  }

  handleReadyForQuery(): void {
    this.#done(null)
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
}

/** Runs `copy … from stdin` with its rows, in the format of a psql script. Throws the server's error. */
export function copyIn(client: Client, text: string, data: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(text, data, (error) => (error ? reject(error) : resolve())))
  })
}
