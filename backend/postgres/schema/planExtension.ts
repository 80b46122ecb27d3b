import type { Client, QueryConfig } from 'pg'
import { describeMissingExtension, isOptionalExtension, type Script } from './missingExtension.ts'
import { createExtensionQuery, type CreateExtension } from './privilegedStatement.ts'

/** What a `create extension` does on this server. */
export interface ExtensionPlan {
  /** Null where nothing is to be done. */
  query: QueryConfig | null
  notice: string | null
  /** Why the project can't start: an extension that it needs is missing. */
  failure: string | null
}

/**
 * Decides how to create an extension for a migration. With a notice, an unavailable extension that projects have but
 * don't use is skipped, an unavailable version is replaced by the available one, and a preinstalled extension is left
 * unchanged.
 */
export async function planExtension(o: {
  client: Client
  statement: CreateExtension
  /** The file, to find the statements that would fail. */
  script: Script
}): Promise<ExtensionPlan> {
  const { client, statement } = o
  const { name, version } = statement
  const nothing: ExtensionPlan = { query: null, notice: null, failure: null }
  // Installed in the database, whether or not its files still exist.
  if (statement.ifMissing && (await isInstalled(client, name))) return nothing
  const { rows } = await client.query<{ versions: string[]; newest: string; preinstalled: boolean }>(
    `select a.default_version as newest,
       array(select version from pg_available_extension_versions v where v.name = a.name) as versions,
       a.installed_version is not null
         and exists (select from linnet_platform.preinstalled_extensions p where p.name = a.name) as preinstalled
     from pg_available_extensions a where a.name = $1`,
    [name],
  )
  const found = rows[0]
  const isPrivileged = await isPrivilegedExtension(client, name)
  // One that hosted Supabase does not allow, and that no project needs, is skipped even where its files exist. Another
  // one is refused by PostgreSQL.
  if ((!found && isPrivileged) || (!isPrivileged && isOptionalExtension(name))) {
    const { isOptional, sentence } = await describeMissingExtension(
      client,
      name,
      o.script,
      found !== undefined,
    )
    return isOptional ? { ...nothing, notice: sentence } : { ...nothing, failure: sentence }
  }
  if (found?.preinstalled && !statement.ifMissing) {
    return { ...nothing, notice: `the extension ${name} is installed already.` }
  }
  const isAvailable = version === null || !found || found.versions.includes(version)
  return {
    query: createExtensionQuery(isAvailable ? statement : { ...statement, version: null }),
    notice: isAvailable
      ? null
      : `the extension ${name} has no version ${version} here; this is ${found!.newest}.`,
    failure: null,
  }
}

async function isInstalled(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_extension where extname = $1', [name])
  return rowCount === 1
}

async function isPrivilegedExtension(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ privileged: boolean }>(
    'select linnet_platform.is_privileged_extension($1) as privileged',
    [name],
  )
  return rows[0]!.privileged
}
