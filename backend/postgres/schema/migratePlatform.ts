import { createHash } from 'node:crypto'
import type { Pool } from '../connections/pool.ts'
import { StartError } from '../server/StartError.ts'
import { platformFiles } from './platformFiles.ts'

/**
 * Applies the platform's SQL (roles, schemas, functions of the services) in name order, each file once
 * per content: a file whose text has changed runs again, so every file is idempotent.
 * @param pool of supabase_admin
 */
export async function migratePlatform(pool: Pool): Promise<{ applied: string[] }> {
  await pool.query(`create schema if not exists linnet_platform`)
  await pool.query(`create table if not exists linnet_platform.files (
    name text primary key, digest text not null, applied_at timestamptz not null default now())`)
  const { rows } = await pool.query<{ name: string; digest: string }>(
    'select name, digest from linnet_platform.files',
  )
  const appliedDigests = new Map(rows.map((row) => [row.name, row.digest]))
  const applied: string[] = []
  for (const { name, sql } of platformFiles()) {
    const digest = createHash('sha256').update(sql).digest('hex')
    if (appliedDigests.get(name) === digest) continue
    const apply = pool.transaction(async (client) => {
      // With `public` in the search path, a superuser could run functions of a migration.
      await client.query('set local search_path to pg_catalog')
      // No trigger of a migration may run on tables that are written to here.
      await client.query('set local session_replication_role to replica')
      await client.query(sql)
      // In the same transaction: GRANT and REVOKE of a project are compared with this record.
      await client.query(`do $$ begin
        if to_regprocedure('linnet_platform.record_service_grants()') is not null then
          perform linnet_platform.record_service_grants();
        end if;
      end $$`)
      await client.query(
        `insert into linnet_platform.files (name, digest) values ($1, $2)
         on conflict (name) do update set digest = excluded.digest, applied_at = now()`,
        [name, digest],
      )
    })
    await apply.catch((error: Error) => refuseControlFile(pool, error))
    applied.push(name)
  }
  return { applied }
}

/**
 * Throws StartError if PostgreSQL can't read the control file of an extension that somebody has added to a folder of
 * extensions, else `error`. PostgreSQL's message names the file and the line.
 */
async function refuseControlFile(pool: Pool, error: Error): Promise<never> {
  const reason = await pool.query('select from pg_available_extension_versions').then(
    () => null,
    ({ message }: Error) => message,
  )
  if (reason === null) throw error
  throw new StartError(
    `PostgreSQL can't read the files of the extensions: ${reason}. Fix or remove this file or folder.`,
    {
      cause: error,
    },
  )
}
