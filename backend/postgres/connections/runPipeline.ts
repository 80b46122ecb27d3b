import type { Client, DatabaseError, Query, QueryResult } from 'pg'
import { PreparedStatements } from './PreparedStatements.ts'
import type { AdmitRow } from './RowInterceptor.ts'
import { TransactionQuery, type TransactionStatement } from './TransactionQuery.ts'

/** For a transaction that takes several flights: the first statement of the first, the last one of the last. */
export const begin: TransactionStatement = { text: 'begin', name: 'begin', raw: true }
export const commit: TransactionStatement = { text: 'commit', name: 'commit', raw: true }

const preparedByClient = new WeakMap<Client, PreparedStatements>()

function preparedStatementsOf(client: Client): PreparedStatements {
  let prepared = preparedByClient.get(client)
  if (!prepared) preparedByClient.set(client, (prepared = new PreparedStatements()))
  return prepared
}

/**
 * Statements in one flight: one write, one answer. Outside a transaction they are one by themselves. Those with a
 * `name` are prepared once a connection; a name stands for its text.
 *
 * Throws the error of the first statement that failed, none behind which has run, after the transaction is rolled back;
 * RowRefused where `admitRow` refuses a row.
 */
export async function runPipeline(
  client: Client,
  statements: TransactionStatement[],
  admitRow?: AdmitRow,
): Promise<QueryResult[]> {
  const prepared = preparedStatementsOf(client)
  try {
    return await new Promise((resolve, reject) => {
      const done = (error: Error | null, results: QueryResult[]): void => {
        if (error) reject(error)
        else resolve(results)
      }
      const query = new TransactionQuery(client, statements, prepared, done, admitRow)
      client.query(query as unknown as Query)
    })
  } catch (error) {
    // What was begun by BEGIN is still held: the server has skipped our COMMIT too.
    if (client.getTransactionStatus() !== 'I') await client.query('rollback').catch(() => {})
    if (isStalePlan(error)) prepared.dropAll()
    throw error
  }
}

/**
 * The schema has changed under a prepared statement: it gives other columns now (0A000 from the plan cache), or
 * someone has dropped it (26000). The transaction had no effect, so it may run again with new plans.
 */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = error as Partial<DatabaseError>
  return (code === '0A000' && routine === 'RevalidateCachedQuery') || code === '26000'
}
