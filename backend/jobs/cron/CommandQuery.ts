import type { DatabaseError } from 'pg'

interface Connection {
  query(text: string): void
  sendCopyFail(reason: string): void
}

/**
 * A job's command as one simple query: its statements run one after the other, in one transaction where they name
 * none, and their rows are counted but not stored. For pg's `client.query`.
 */
export class CommandQuery {
  /** The result of the last statement as pg_cron writes it: its command tag, or the number of rows. Rejects with its error. */
  readonly message: Promise<string>
  readonly #text: string
  #resolve!: (message: string) => void
  #reject!: (error: Error) => void
  #result = '0 rows'
  #hasRows = false
  #usesCopy = false

  constructor(text: string) {
    this.#text = text
    this.message = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  submit(connection: Connection): null {
    connection.query(this.#text)
    return null
  }

  handleRowDescription(): void {
    this.#hasRows = true
  }

  handleDataRow(): void {}

  handleCommandComplete({ text }: { text: string }): void {
    const count = Number(/\d+$/.exec(text)?.[0])
    this.#result = this.#hasRows ? `${count} ${count === 1 ? 'row' : 'rows'}` : text
    this.#hasRows = false
  }

  handleEmptyQuery(): void {}

  handleCopyInResponse(connection: Connection): void {
    this.#usesCopy = true
    connection.sendCopyFail('COPY not supported')
  }

  handleCopyData(): void {
    this.#usesCopy = true
  }

  handleError(error: Error): void {
    this.#reject(this.#usesCopy ? new Error('COPY not supported') : error)
  }

  handleReadyForQuery(): void {
    if (this.#usesCopy) this.#reject(new Error('COPY not supported'))
    else this.#resolve(this.#result)
  }
}

/** An error of PostgreSQL as psql prints it and pg_cron stores it; a lost connection in pg_cron's words. */
export function renderError(error: Error & Partial<DatabaseError>): string {
  if (error.message.startsWith('Connection terminated')) return 'connection lost'
  if (error.severity === undefined) return error.message
  return [
    `${error.severity}:  ${error.message}`,
    ...(error.detail ? [`DETAIL:  ${error.detail}`] : []),
    ...(error.hint ? [`HINT:  ${error.hint}`] : []),
    ...(error.where ? [`CONTEXT:  ${error.where}`] : []),
    '',
  ].join('\n')
}
