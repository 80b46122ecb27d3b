import type { Client, DatabaseError, Query, QueryResult } from 'pg'
import { PreparedStatements } from './PreparedStatements.ts'
import type { AdmitRow } from './RowInterceptor.ts'
import { TransactionQuery, type TransactionStatement } from './TransactionQuery.ts'

/** For a transaction of several pipelines: the first statement of the first one, the last statement of the last one. */
export const begin: TransactionStatement = { text: 'begin', name: 'begin', raw: true }
export const commit: TransactionStatement = { text: 'commit', name: 'commit', raw: true }

const preparedByClient = new WeakMap<Client, PreparedStatements>()

function preparedStatementsOf(client: Client): PreparedStatements {
  let prepared = preparedByClient.get(client)
  if (!prepared) preparedByClient.set(client, (prepared = new PreparedStatements()))
  return prepared
}

/** Results of the statements of a pipeline that had run when one failed, by its error. */
const completed = new WeakMap<object, QueryResult[]>()

/** The results of the statements of a pipeline that ran before the one whose error it rejected with. */
export function resultsBefore(error: unknown): QueryResult[] {
  return completed.get(error as object) ?? []
}

/**
 * Sends statements in one pipeline: one round trip. Outside a transaction the pipeline is a transaction by itself.
 * Statements with a `name` are prepared once for each connection; a name must always have the same text.
 *
 * Throws the error of the first statement that failed, after the transaction is rolled back; later ones have not run;
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
        if (!error) return resolve(results)
        completed.set(error, results)
        reject(error)
      }
      const query = new TransactionQuery(client, statements, prepared, done, admitRow)
      client.query(query as unknown as Query)
    })
  } catch (error) {
    // A transaction started by BEGIN is still open: the server has skipped the COMMIT too.
    if (client.getTransactionStatus() !== 'I') await client.query('rollback').catch(() => {})
    if (isStalePlan(error)) prepared.dropAll()
    throw error
  }
}

/**
 * The schema has changed under a prepared statement: its columns differ now (0A000 from the plan cache), or it
 * was deallocated (26000). The transaction had no effect, so it may run again with new plans.
 */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = error as Partial<DatabaseError>
  return (code === '0A000' && routine === 'RevalidateCachedQuery') || code === '26000'
}
