import type { Duplex } from 'node:stream'
import pg, { Query, Result } from 'pg'
import type { FieldDef, QueryConfig, QueryResult } from 'pg'
import type { PreparedStatement, PreparedStatements } from './PreparedStatements.ts'

/** What we use of pg's Connection beyond its published types. */
interface Wire {
  stream: Duplex
  parse(o: { name?: string; text: string }): void
  bind(o: { statement?: string; values: unknown[] }): void
  describe(o: { type: 'P' }): void
  execute(o?: object): void
  close(o: { type: 'S'; name: string }): void
  sync(): void
}

type Answer = QueryResult & {
  addFields(fields: FieldDef[]): void
  addCommandComplete(message: object): void
  parseRow(fields: unknown[]): unknown
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

/** PostgreSQL counts parameters in 16 bits; one more would garble the protocol rather than fail. */
const mostParameters = 65_535

/**
 * Several statements as one pg query: one write, one Sync, so that the server skips whatever follows a failed
 * statement. (Queries pipelined one by one have a Sync each: after a failure the rest still runs into 25P02.)
 * Statements with a name are prepared once a connection, and from then on not described either.
 */
export class TransactionQuery extends Query {
  readonly #statements: QueryConfig[]
  readonly #prepared: PreparedStatements
  readonly #answers: Answer[] = []
  readonly #entries: (PreparedStatement | undefined)[] = []
  #answer: Answer | undefined
  #thrown: unknown

  /** `done` gets the error of the first statement that failed, or one result for each statement. */
  constructor(
    statements: QueryConfig[],
    prepared: PreparedStatements,
    done: (error: Error | null, results: QueryResult[]) => void,
  ) {
    const answers: Answer[] = []
    super({ text: 'transaction' }, ((error: Error | null) => done(error, answers)) as never)
    this.#answers = answers
    this.#statements = statements
    this.#prepared = prepared
  }

  /** Called by pg's Client. Returns an error without having written anything where a statement can't be sent. */
  override submit = (connection: unknown): Error | null => {
    const wire = connection as Wire
    let values: unknown[][]
    try {
      values = this.#statements.map(sendableValues)
    } catch (error) {
      return error as Error
    }
    wire.stream.cork()
    for (const id of this.#prepared.takeUnused()) wire.close({ type: 'S', name: id })
    this.#statements.forEach((statement, i) => {
      const { entry, isNew } = this.#prepared.use(statement)
      this.#entries.push(entry)
      if (!entry || isNew) wire.parse({ name: entry?.id ?? '', text: statement.text })
      wire.bind({ statement: entry?.id ?? '', values: values[i]! })
      if (!entry?.fields) wire.describe({ type: 'P' })
      wire.execute()
    })
    wire.sync()
    wire.stream.uncork()
    return null
  }

  /** The result being filled: made when the first message of its statement comes. */
  #current(): Answer {
    if (this.#answer) return this.#answer
    const { rowMode, types } = this.#statements[this.#answers.length] as QueryConfig & { rowMode?: string }
    this.#answer = new Result(rowMode as string, types as never) as unknown as Answer
    const known = this.#entries[this.#answers.length]?.fields
    if (known?.length) this.#answer.addFields(known)
    return this.#answer
  }

  handleRowDescription(message: { fields: FieldDef[] }): void {
    const entry = this.#entries[this.#answers.length]
    const answer = this.#current()
    answer.addFields(message.fields)
    if (entry) entry.fields = message.fields
  }

  handleDataRow(message: { fields: unknown[] }): void {
    if (this.#thrown) return
    const answer = this.#current()
    try {
      answer.rows.push(answer.parseRow(message.fields))
    } catch (error) {
      this.#thrown = error
    }
  }

  handleCommandComplete(message: object): void {
    const answer = this.#current()
    answer.addCommandComplete(message)
    const entry = this.#entries[this.#answers.length]
    if (entry) {
      entry.confirmed = true
      // A statement without columns has no description: remember that too.
      entry.fields ??= []
    }
    this.#answers.push(answer)
    this.#answer = undefined
  }

  handleEmptyQuery(): void {
    this.#answers.push(this.#current())
    this.#answer = undefined
  }

  handleError(error: Error): void {
    this.#prepared.forgetUnconfirmed(this.#entries)
    this.#done(error)
  }

  handleReadyForQuery(): void {
    this.#done((this.#thrown as Error | undefined) ?? null)
  }

  #done(error: Error | null): void {
    const { callback } = this as unknown as { callback: (error: Error | null) => void }
    callback(error)
  }
}

/** Values as pg sends them; throws where one can't be sent, before anything is on the wire. */
function sendableValues(statement: QueryConfig): unknown[] {
  if (typeof statement.text !== 'string' || statement.text.includes('\0')) {
    throw new TypeError('A statement needs a text, without NUL.')
  }
  const values = (statement.values ?? []) as unknown[]
  if (values.length > mostParameters)
    throw new RangeError(`A statement has at most ${mostParameters} parameters.`)
  return values.map(prepareValue)
}
