import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import { StartError } from '../server/StartError.ts'
import type { Statement } from './splitStatements.ts'
import { commandName } from '../../runtime/commandName.ts'

/**
 * Records how many statements of a file are committed, for files that consist of several transactions. A next try
 * continues after these statements.
 */
export const createProgressTable = `
  create table if not exists supabase_migrations.partial_files
    (path text not null primary key, statements integer not null, digest text not null);`

function digestOf(statements: readonly Statement[]): string {
  const hash = createHash('sha256')
  for (const { text, rows } of statements) hash.update(JSON.stringify([text, rows]))
  return hash.digest('hex')
}

/**
 * The number of statements that an earlier try committed. Throws StartError if these statements have changed since: the
 * file can then neither continue nor begin again.
 */
export async function readProgress(
  client: Client,
  path: string,
  statements: readonly Statement[],
): Promise<number> {
  const { rows } = await client.query<{ statements: number; digest: string }>(
    'select statements, digest from supabase_migrations.partial_files where path = $1',
    [path],
  )
  const found = rows[0]
  if (!found) return 0
  if (found.digest !== digestOf(statements.slice(0, found.statements))) {
    throw new StartError(
      `${path}: an earlier try has applied the first ${found.statements} statements, and they have changed since. ` +
        `Restore these statements and change only the ones after them, or run "${commandName()} reset".`,
    )
  }
  return found.statements
}

/** Commits the open transaction together with the number of statements that are then applied. */
export async function commitProgress(
  client: Client,
  path: string,
  statements: readonly Statement[],
  applied: number,
): Promise<void> {
  // Local: the role that the file has chosen returns with the commit.
  await client.query('set local role none')
  await client.query(
    `insert into supabase_migrations.partial_files (path, statements, digest) values ($1, $2, $3)
     on conflict (path) do update set statements = excluded.statements, digest = excluded.digest`,
    [path, applied, digestOf(statements.slice(0, applied))],
  )
  await client.query('commit')
}

/** Deletes the record of a file in the transaction that completes the file. */
export async function deleteProgress(client: Client, path: string): Promise<void> {
  await client.query('delete from supabase_migrations.partial_files where path = $1', [path])
}
