import type { EventEmitter } from 'node:events'
import pg, { Query, Result } from 'pg'
import type { Client, DatabaseError, FieldDef, QueryConfig, QueryResult } from 'pg'
import { MessageWriter } from './MessageWriter.ts'
import type { PreparedStatement, PreparedStatements } from './PreparedStatements.ts'
import { RowInterceptor } from './RowInterceptor.ts'
import type { AdmitRow, RowBytes } from './RowInterceptor.ts'

/** A statement of a transaction. Its columns are parsed as pg does, unless it is `raw`. */
export interface TransactionStatement extends QueryConfig {
  /** Rows come as arrays of the bytes that the server sent: nothing is parsed, no columns are described. */
  raw?: true
}

/** Members of pg's Connection that its published types lack. */
interface PgConnection {
  stream: EventEmitter & { write(bytes: Buffer): void; destroy(error?: Error): unknown }
  once(event: 'readyForQuery' | 'end', listener: () => void): void
  off(event: 'readyForQuery' | 'end', listener: () => void): void
}

/** Members of pg's Client that its published types lack. */
interface ActiveClient {
  /** The query whose result is being received. */
  _getActiveQuery(): unknown
}

type PendingResult = QueryResult & {
  addFields(fields: FieldDef[]): void
  addCommandComplete(message: object): void
  parseRow(fields: unknown[]): unknown
}

type Value = string | Buffer | null

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): Value } }).utils

/** PostgreSQL counts parameters in 16 bits; one more would corrupt the message instead of failing. */
const maxParameters = 65_535

/** Shared by all connections: a transaction is written synchronously. */
const writer = new MessageWriter()

/**
 * Several statements as one pg query: one write, one Sync, so that the server skips whatever follows a failed
 * statement. (Queries pipelined one by one have a Sync each: after a failure the rest still runs into 25P02.)
 * Without BEGIN they still form one transaction, which the Sync commits or a failure rolls back (the protocol's
 * "pipelining"). Named statements are prepared once for each connection, and described only then.
 */
export class TransactionQuery {
  readonly callback: (error: Error | null) => void
  readonly #client: ActiveClient
  readonly statements: readonly TransactionStatement[]
  readonly #prepared: PreparedStatements
  readonly #results: QueryResult[] = []
  readonly #entries: (PreparedStatement | undefined)[] = []
  #pendingResult: PendingResult | undefined
  #rows: RowBytes[] = []
  #interceptor: RowInterceptor | undefined
  #thrown: unknown
  readonly #admitRow: AdmitRow | null

  /**
   * `done` gets the error of the first statement that failed, or of the commit, once the server is ready again;
   * or one result for each statement. A raw one has rows alone.
   */
  constructor(
    client: Client,
    statements: TransactionStatement[],
    prepared: PreparedStatements,
    done: (error: Error | null, results: QueryResult[]) => void,
    admitRow: AdmitRow | null = null,
  ) {
    const results: QueryResult[] = []
    this.callback = (error) => done(error, results)
    this.#client = client as unknown as ActiveClient
    this.#results = results
    this.statements = statements
    this.#prepared = prepared
    this.#admitRow = admitRow && ((bytes) => (this.#isActive() ? admitRow(bytes) : null))
  }

  /** Called by pg's Client. Returns an error without having written anything where a statement can't be sent. */
  submit(connection: unknown): Error | null {
    let values: Value[][]
    try {
      values = this.statements.map(sendableValues)
    } catch (error) {
      return error as Error
    }
    for (const id of this.#prepared.takeUnused()) writer.close(id)
    this.statements.forEach((statement, i) => {
      const { entry, isNew } = this.#prepared.use(statement)
      this.#entries.push(entry)
      if (!entry || isNew) writer.parse(entry?.id ?? '', statement.text)
      writer.bind(entry?.id ?? '', values[i]!)
      if (!statement.raw && !entry?.fields) writer.describe()
      writer.execute()
    })
    writer.sync()
    const { stream } = connection as PgConnection
    this.#interceptor = RowInterceptor.of(stream)
    this.#interceptor.selectHandler = this.#selectHandler
    this.#interceptor.admitRow = this.#admitRow
    stream.write(writer.take())
    return null
  }

  /** The result being received, created when the first message of its statement arrives. */
  #current(): PendingResult {
    if (this.#pendingResult) return this.#pendingResult
    const { rowMode, types } = this.statements[this.#results.length] as QueryConfig & { rowMode?: string }
    this.#pendingResult = new Result(rowMode as string, types as never) as unknown as PendingResult
    const fields = this.#entries[this.#results.length]?.fields
    if (fields?.length) this.#pendingResult.addFields(fields)
    return this.#pendingResult
  }

  /** Rows of a query that was sent earlier belong to that query. */
  readonly #selectHandler = (): ((row: RowBytes) => void) | null =>
    this.#isRaw() && this.#isActive() ? this.#handleRawRow : null

  readonly #handleRawRow = (row: RowBytes): void => {
    this.#rows.push(row)
  }

  #isActive(): boolean {
    return this.#client._getActiveQuery() === this
  }

  #isRaw(): boolean {
    return this.statements[this.#results.length]?.raw === true
  }

  handleRowDescription(message: { fields: FieldDef[] }): void {
    const entry = this.#entries[this.#results.length]
    this.#current().addFields(message.fields)
    if (entry) entry.fields = message.fields
  }

  handleDataRow(message: { fields: unknown[] }): void {
    if (this.#thrown) return
    const result = this.#current()
    try {
      result.rows.push(result.parseRow(message.fields))
    } catch (error) {
      this.#thrown = error
    }
  }

  handleCommandComplete(message: object): void {
    const entry = this.#entries[this.#results.length]
    if (entry) {
      entry.confirmed = true
      // A statement without columns has no description: store that too.
      if (!this.#isRaw()) entry.fields ??= []
    }
    if (!this.#isRaw()) this.#current().addCommandComplete(message)
    this.#next()
  }

  handleEmptyQuery(): void {
    this.#next()
  }

  #next(): void {
    this.#results.push(this.#isRaw() ? ({ rows: this.#rows } as unknown as QueryResult) : this.#current())
    this.#pendingResult = undefined
    this.#rows = []
  }

  handleError(error: Error, connection?: unknown): void {
    this.#prepared.dropUnconfirmed(this.#entries)
    if (!connection || !isRecoverable(error)) return this.#done(error)
    // The server reports the error before it has rolled back, and pg passes no further message to this query.
    const pgConnection = connection as PgConnection
    const ready = (): void => {
      pgConnection.off('readyForQuery', ready)
      pgConnection.off('end', ready)
      this.#done(error)
    }
    pgConnection.once('readyForQuery', ready)
    pgConnection.once('end', ready)
  }

  handleReadyForQuery(): void {
    this.#done((this.#thrown as Error | undefined) ?? null)
  }

  #done(error: Error | null): void {
    if (this.#interceptor) this.#interceptor.selectHandler = this.#interceptor.admitRow = null
    this.callback(error)
  }
}

// pg pipelines only instances of its Query, whose constructor creates an emitter and a result that are not needed here:
// as much work as writing the messages.
Object.setPrototypeOf(TransactionQuery.prototype, Query.prototype)

/** An error after which the connection is still usable. */
function isRecoverable(error: Error): boolean {
  return (error as Partial<DatabaseError>).severity === 'ERROR'
}

/** Values as pg sends them; throws where one can't be sent, before anything is written. */
function sendableValues(statement: TransactionStatement): Value[] {
  if (typeof statement.text !== 'string' || statement.text.includes('\0')) {
    throw new TypeError('A statement needs a text without NUL.')
  }
  const values = (statement.values ?? []) as unknown[]
  if (values.length > maxParameters)
    throw new RangeError(`A statement has at most ${maxParameters} parameters.`)
  return values.map(prepareValue)
}
