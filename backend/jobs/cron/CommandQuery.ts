import type { DatabaseError } from 'pg'

interface Wire {
  query(text: string): void
  sendCopyFail(reason: string): void
}

/**
 * A job's command as one simple query: its statements run one after the other, in one transaction where they name
 * none, and their rows are counted but not kept. For pg's `client.query`.
 */
export class CommandQuery {
  /** What the last statement answered: its tag, or how many rows, as pg_cron words it. Rejects with its error. */
  readonly message: Promise<string>
  readonly #text: string
  #resolve!: (message: string) => void
  #reject!: (error: Error) => void
  #answer = '0 rows'
  #hasRows = false
  #copies = false

  constructor(text: string) {
    this.#text = text
    this.message = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  submit(connection: Wire): null {
    connection.query(this.#text)
    return null
  }

  handleRowDescription(): void {
    this.#hasRows = true
  }

  handleDataRow(): void {}

  handleCommandComplete({ text }: { text: string }): void {
    const count = Number(/\d+$/.exec(text)?.[0])
    this.#answer = this.#hasRows ? `${count} ${count === 1 ? 'row' : 'rows'}` : text
    this.#hasRows = false
  }

  handleEmptyQuery(): void {}

  handleCopyInResponse(connection: Wire): void {
    this.#copies = true
    connection.sendCopyFail('COPY not supported')
  }

  handleCopyData(): void {
    this.#copies = true
  }

  handleError(error: Error): void {
    this.#reject(this.#copies ? new Error('COPY not supported') : error)
  }

  handleReadyForQuery(): void {
    if (this.#copies) this.#reject(new Error('COPY not supported'))
    else this.#resolve(this.#answer)
  }
}

/** An error of PostgreSQL as psql shows it, and as pg_cron keeps it; a lost connection in its words. */
export function renderFailure(error: Error & Partial<DatabaseError>): string {
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
