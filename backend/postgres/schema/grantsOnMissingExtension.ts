import type { Client, DatabaseError } from 'pg'
import { findUncreatedExtension, namesObjectsOf } from './missingExtension.ts'
import type { Statement } from './splitStatements.ts'

/** Undefined schema, function, table, object. */
const undefinedObject = new Set(['3F000', '42883', '42P01', '42704'])

/**
 * The extension whose absence makes a GRANT or REVOKE fail; null for other statements. Dumps of hosted projects have such
 * statements for functions of the extensions in `public`. The statement has no effect afterwards.
 * @param client in a transaction
 */
export async function grantsOnMissingExtension(client: Client, statement: Statement): Promise<string | null> {
  const [first] = statement.tokens
  if (first?.kind !== 'word' || !['grant', 'revoke'].includes(first.value)) return null
  const extension = await findUncreatedExtension(client, statement.text)
  if (extension === null) return null
  await client.query('savepoint linnet_grant')
  try {
    await client.query(statement.text)
    return null
  } catch (error) {
    const { code, message } = error as DatabaseError
    // A missing role is an undefined object too.
    return undefinedObject.has(code ?? '') && namesObjectsOf(extension, message) ? extension : null
  } finally {
    await client.query('rollback to savepoint linnet_grant; release savepoint linnet_grant')
  }
}
