import type { Client } from 'pg'
import { describeMissingExtension } from './missingExtension.ts'
import { createExtensionQuery, type CreateExtension } from './privilegedStatement.ts'
import type { Statement } from './splitStatements.ts'

/**
 * Creates an extension for a migration. With a notice, an unavailable extension that projects have but don't use is
 * skipped, an unavailable version is replaced by the available one, and a preinstalled extension is left unchanged.
 * Throws a sentence where the project needs an extension that is missing.
 */
export async function createExtension(o: {
  client: Client
  statement: CreateExtension
  /** The whole file, to list the statements that would fail. */
  statements: Statement[]
  notice: (sentence: string) => void
}): Promise<void> {
  const { client, statement, notice } = o
  const { name, version } = statement
  // Installed in the database, whether or not its files still exist.
  if (statement.ifMissing && (await isInstalled(client, name))) return
  const { rows } = await client.query<{ versions: string[]; newest: string; preinstalled: boolean }>(
    `select a.default_version as newest,
       array(select version from pg_available_extension_versions v where v.name = a.name) as versions,
       a.installed_version is not null
         and exists (select from linnet_platform.preinstalled_extensions p where p.name = a.name) as preinstalled
     from pg_available_extensions a where a.name = $1`,
    [name],
  )
  const found = rows[0]
  // One that hosted Supabase does not allow is refused below.
  if (!found && (await isPrivileged(client, name))) {
    const { rows: server } = await client.query<{ major: number }>(
      `select current_setting('server_version_num')::int / 10000 as major`,
    )
    const { isOptional, sentence } = describeMissingExtension(name, o.statements, server[0]!.major)
    if (!isOptional) throw new Error(sentence)
    notice(sentence)
    return
  }
  if (found?.preinstalled && !statement.ifMissing) {
    notice(`the extension ${name} is installed already.`)
    return
  }
  const isAvailable = version === null || !found || found.versions.includes(version)
  if (!isAvailable) {
    notice(`the extension ${name} has no version ${version} here; this is ${found.newest}.`)
  }
  await client.query(createExtensionQuery(isAvailable ? statement : { ...statement, version: null }))
}

async function isInstalled(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_extension where extname = $1', [name])
  return rowCount === 1
}

async function isPrivileged(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ privileged: boolean }>(
    'select linnet_platform.is_privileged_extension($1) as privileged',
    [name],
  )
  return rows[0]!.privileged
}
