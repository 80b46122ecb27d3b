import { Client } from 'pg'
import {
  TransactionQuery,
  type TransactionStatement,
} from '../../backend/postgres/connections/TransactionQuery.ts'

/** Statements sent in one write with one Sync, or a single statement. */
export type Message = { isPipelined: boolean; statements: TransactionStatement[] }

/** Messages sent before the response to the first of them. */
export type Pipeline = Message[]

const copyOf = ({ name, text, values, raw }: TransactionStatement): TransactionStatement => ({
  text,
  ...(name && { name }),
  ...(values && { values }),
  ...(raw && { raw }),
})

/** Captures the statements of all pg clients in this process while `work` runs, by pipeline. Not reentrant. */
export async function captureStatements(work: () => Promise<void>): Promise<Pipeline[]> {
  const pipelines: Pipeline[] = []
  let inProgress = 0
  const originalQuery = Client.prototype.query
  Client.prototype.query = function (this: Client, query: unknown, values?: unknown[]) {
    const isPipelined = query instanceof TransactionQuery
    const statements = isPipelined
      ? query.statements.map(copyOf)
      : [copyOf(typeof query === 'string' ? { text: query, ...(values && { values }) } : (query as never))]
    if (inProgress === 0) pipelines.push([])
    pipelines.at(-1)!.push({ isPipelined, statements })
    inProgress++
    const onDone = (): void => void inProgress--
    if (isPipelined) {
      const { callback } = query
      Object.assign(query, {
        callback: (error: Error | null) => {
          onDone()
          callback(error)
        },
      })
      return Reflect.apply(originalQuery, this, [query])
    }
    const answer = Reflect.apply(originalQuery, this, [query, values]) as Promise<unknown>
    answer.then(onDone, onDone)
    return answer
  } as typeof originalQuery
  try {
    await work()
    return pipelines
  } finally {
    Client.prototype.query = originalQuery
  }
}
