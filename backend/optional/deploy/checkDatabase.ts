import type { Client } from 'pg'
import { readCatalogue, type Catalogue } from '../../postgres/catalogue/readCatalogue.ts'
import { connectToUrl } from '../../postgres/connections/connectToUrl.ts'
import { listMigrations } from '../../postgres/schema/migrationFiles.ts'
import { findReplacement } from '../../postgres/schema/replacedMigrations.ts'
import { compareCatalogues } from './compareCatalogues.ts'
import { createReference } from './createReference.ts'
import type { Findings } from './Report.ts'
import { selectPortableFacts } from './selectPortableFacts.ts'
import { commandName } from '../../runtime/commandName.ts'

/** Connects and starts a read-only transaction. Adds a finding and returns null if that fails. */
async function connect(dbUrl: string, findings: Findings): Promise<Client | null> {
  try {
    const client = await connectToUrl(dbUrl, 'linnet deploy --check')
    await client.query('begin transaction isolation level repeatable read read only')
    return client
  } catch (error) {
    findings.reportMissing('database', `Can't connect to the database: ${(error as Error).message}`)
    return null
  }
}

async function readVersions(client: Client): Promise<string[] | null> {
  const table = 'supabase_migrations.schema_migrations'
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    table,
  ])
  if (!rows[0]!.there) return null
  const applied = await client.query<{ version: string }>(`select version from ${table} order by version`)
  return applied.rows.map(({ version }) => version)
}

/**
 * Names of Vault secrets that functions and cron jobs read, with their reader: names compared in a query of the Vault's
 * view, and names passed to a function that queries it.
 */
function findSecretReaders(catalogue: Catalogue): Map<string, string> {
  const expected = new Map<string, string>()
  const readers: string[] = []
  const bodies = [...catalogue.values()].filter(({ kind }) => kind === 'function' || kind === 'job')
  for (const { kind, name, value } of bodies) {
    if (!/vault\.decrypted_secrets/i.test(value)) continue
    if (kind === 'function') readers.push(name.slice(0, name.indexOf('(')))
    for (const [, secret] of value.matchAll(/\bname\s*=\s*'([^']+)'/g))
      expected.set(secret!, `${kind} ${name}`)
  }
  for (const { kind, name, value } of bodies) {
    for (const reader of readers) {
      for (const call of value.split(`${reader}('`).slice(1)) {
        const secret = /^([^']+)'\s*\)/.exec(call)?.[1]
        // A name that is put together, as for each webhook, is not known here.
        if (secret !== undefined && !expected.has(secret)) expected.set(secret, `${kind} ${name}`)
      }
    }
  }
  return expected
}

async function checkVault(client: Client, expected: Map<string, string>, findings: Findings): Promise<void> {
  if (expected.size === 0) return
  try {
    await client.query('savepoint vault')
    const { rows } = await client.query<{ name: string }>(
      'select name from vault.secrets where name = any($1)',
      [[...expected.keys()]],
    )
    const there = new Set(rows.map(({ name }) => name))
    for (const [name, reader] of expected) {
      if (there.has(name)) continue
      findings.reportMissing(
        'vault',
        `The Vault has no secret "${name}", which the ${reader} reads: select vault.create_secret('<value>', '${name}');`,
      )
    }
  } catch (error) {
    await client.query('rollback to savepoint vault')
    findings.reportUnchecked('vault', `The Vault's secrets can't be read: ${(error as Error).message}.`)
  }
}

/** Matches functions that broadcast from the database. */
const broadcastCall = /\brealtime\.(?:send|send_binary|broadcast_changes|messages)\b/

/**
 * Compares a database with the result of its applied migrations, run on a temporary PostgreSQL server.
 * @param exposed schemas that the data API serves
 * @param reference creates the database to compare with
 * @returns broadcasts: whether functions of the migrations broadcast from the database
 */
export async function checkDatabase(
  o: { supabaseDir: string; dbUrl: string; exposed: readonly string[]; reference?: typeof createReference },
  findings: Findings,
): Promise<{ broadcasts: boolean }> {
  const client = await connect(o.dbUrl, findings)
  let broadcasts = false
  if (!client) return { broadcasts }
  try {
    const { migrations } = listMigrations(o.supabaseDir)
    const recorded = await readVersions(client)
    if (migrations.length === 0 && !recorded?.length) return { broadcasts }
    const known = new Set(migrations.map(({ version }) => version))
    const foreign = (recorded ?? []).filter((version) => !known.has(version))
    const replacement = findReplacement(migrations, recorded ?? [])
    if (replacement && replacement.missing.length === 0 && replacement.unknown.length === 0) {
      const { migration, replaced } = replacement
      findings.reportMissing(
        'migration',
        `The database has the migrations that ${migration.file} replaces. Nothing else was compared. If "${commandName()} deploy --check" of the previous version finds no difference, record the new migration: ` +
          `npx supabase migration repair --status reverted ${replaced.join(' ')} && npx supabase migration repair --status applied ${migration.version}`,
      )
      return { broadcasts }
    }
    if (foreign.length > 0) {
      findings.reportMissing(
        'migration',
        `The database has migrations that this folder lacks (${foreign.join(', ')}): a newer version created them, or another project. Nothing else was compared.`,
      )
      return { broadcasts }
    }
    const applied = new Set(recorded)
    const pending = migrations.filter(({ version }) => !applied.has(version))
    if (pending.length > 0) {
      const files = pending.map(({ file }) => file).join(', ')
      const all = pending.length === migrations.length
      findings.reportMissing(
        'migration',
        all
          ? 'No migration is applied: npx supabase db push'
          : `Not applied: ${files}. npx supabase db push applies ${pending.length === 1 ? 'it' : 'them'}.`,
      )
      if (all) return { broadcasts }
    }
    const reference = await (o.reference ?? createReference)(
      migrations.filter(({ version }) => applied.has(version)),
    )
    compareCatalogues(reference, selectPortableFacts(await readCatalogue(client)), o.exposed, findings)
    await checkVault(client, findSecretReaders(reference.after), findings)
    broadcasts = [...reference.after.values()].some(
      (fact) =>
        fact.kind === 'function' &&
        !reference.before.has(`function ${fact.name}`) &&
        broadcastCall.test(fact.value),
    )
  } catch (error) {
    findings.reportMissing('database', `The database can't be compared: ${(error as Error).message}`)
  } finally {
    await client.end().catch(() => {})
  }
  return { broadcasts }
}
