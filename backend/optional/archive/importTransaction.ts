import type { Client } from 'pg'
import { ArchiveError } from './ImportRequest.ts'

/** The part of a connection that an import uses. */
export type Connection = Pick<Client, 'query'>

/** Runs a transaction whose changes notify nobody: see `app.is_importing` of the schema. */
export async function runInTransaction<T>(database: Connection, work: () => Promise<T>): Promise<T> {
  await database.query(`begin; set local linnet.is_importing to 'true'`)
  try {
    const result = await work()
    await database.query('commit')
    return result
  } catch (error) {
    await database.query('rollback').catch(() => {})
    throw error
  }
}

/**
 * Waits until all statements that were sent together have ended, and throws the error of the first that failed. In a transaction the
 * ones after it fail as well.
 */
export async function allStatements<T>(statements: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(statements)
  return Promise.all(statements)
}

/**
 * Prepares the server for a workspace of an archive. The oldest workspace administers the server, so that an imported one, which can
 * be older, must not take its place.
 */
export async function createWorkspace(
  { database, workspaceId }: { database: Connection; workspaceId: string },
  row: Record<string, unknown>,
): Promise<void> {
  if (row['id'] !== workspaceId) throw new ArchiveError('The archive contains rows of several workspaces.')
  await database.query(
    `insert into public.settings (key, value)
     select 'first_workspace', to_jsonb(w.id) from public.workspaces w
     where w.id <> $1 order by w.created_at, w.id limit 1
     on conflict (key) do nothing`,
    [workspaceId],
  )
}

/**
 * Removes a workspace that an import has created, with the profiles that it has created. An earlier run of the import has created the
 * profiles that belong to nothing else afterwards.
 */
export async function removeWorkspace(database: Connection, workspaceId: string): Promise<void> {
  await runInTransaction(database, async () => {
    await database.query('delete from public.workspaces where id = $1', [workspaceId])
    await database.query(
      `delete from public.profiles p using import_people i
       where i.id = p.id and (i.is_new or p.user_id is null
         and not exists (select from public.workspace_members w where w.profile_id = p.id))`,
    )
  })
}
