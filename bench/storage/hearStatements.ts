import { Client } from 'pg'
import {
  TransactionQuery,
  type TransactionStatement,
} from '../../backend/postgres/connections/TransactionQuery.ts'

/** Statements that go in one write with one Sync, or one that goes alone. */
export type Message = { together: boolean; statements: TransactionStatement[] }

/** Messages that go before the answer to the first of them is there. */
export type Flight = Message[]

const copyOf = ({ name, text, values, raw }: TransactionStatement): TransactionStatement => ({
  text,
  ...(name && { name }),
  ...(values && { values }),
  ...(raw && { raw }),
})

/** What pg's clients in this process are told while `work` runs, flight by flight. One thing at a time. */
export async function hearStatements(work: () => Promise<void>): Promise<Flight[]> {
  const heard: Flight[] = []
  let underWay = 0
  const spoken = Client.prototype.query
  Client.prototype.query = function (this: Client, query: unknown, values?: unknown[]) {
    const together = query instanceof TransactionQuery
    const statements = together
      ? query.statements.map(copyOf)
      : [copyOf(typeof query === 'string' ? { text: query, ...(values && { values }) } : (query as never))]
    if (underWay === 0) heard.push([])
    heard.at(-1)!.push({ together, statements })
    underWay++
    const landed = (): void => void underWay--
    if (together) {
      const { callback } = query
      Object.assign(query, {
        callback: (error: Error | null) => {
          landed()
          callback(error)
        },
      })
      return Reflect.apply(spoken, this, [query])
    }
    const answer = Reflect.apply(spoken, this, [query, values]) as Promise<unknown>
    answer.then(landed, landed)
    return answer
  } as typeof spoken
  try {
    await work()
    return heard
  } finally {
    Client.prototype.query = spoken
  }
}
