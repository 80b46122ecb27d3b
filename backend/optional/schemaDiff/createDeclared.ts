import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Config } from '../../config/loadConfig.ts'
import { noLogger } from '../../logging/logger.ts'
import { readCatalogue, type Catalogue } from '../../postgres/catalogue/readCatalogue.ts'
import { migrate } from '../../postgres/schema/migrate.ts'
import type { SchemaFile } from '../../postgres/schema/schemaFiles.ts'
import { temporaryPostgres } from '../../postgres/server/temporaryPostgres.ts'
import { finishRecording, startRecording, type RecordedCommand } from './recordCommands.ts'
import { readRows } from './readRows.ts'
import { runSchemaFiles, type SchemaStatement } from './runSchemaFiles.ts'

/** A temporary database on a server of its own, since roles and their settings belong to a server. */
export interface Scratch {
  /** Connected as the role of migrations, which is not a superuser. */
  client: Client
  stop(): Promise<void>
}

/** A database that the schema files have created. */
export interface Declared extends Scratch {
  /** Every statement, in the order of the files. */
  statements: SchemaStatement[]
  /** The objects of each statement. */
  commands: RecordedCommand[]
}

/** A migration, whose text may differ from its file. */
export interface MigrationText {
  file: string
  text: string
}

/** The facts of a database: its catalogue, and the rows that the schema inserts. @param client of postgres */
export async function readFacts(client: Client): Promise<Catalogue> {
  const facts = new Map(await readCatalogue(client))
  for (const fact of await readRows(client)) facts.set(`${fact.kind} ${fact.name}`, fact)
  return facts
}

/** Runs migrations in a new database. Throws MigrationError with the line of the file. */
export async function createMigrated(config: Config, migrations: readonly MigrationText[]): Promise<Scratch> {
  const { client, stop } = await openScratch(config, migrations)
  return { client, stop }
}

/** Runs the schema files in a new database, and records which statement creates which object. Throws MigrationError. */
export async function createDeclared(config: Config, files: readonly SchemaFile[]): Promise<Declared> {
  const { client, admin, stop } = await openScratch(config, [])
  try {
    await startRecording(admin)
    const statements = await runSchemaFiles(client, files)
    return { client, stop, statements, commands: await finishRecording(admin) }
  } catch (error) {
    await stop()
    throw error
  }
}

async function openScratch(
  config: Config,
  migrations: readonly MigrationText[],
): Promise<Scratch & { admin: Client }> {
  const postgres = await temporaryPostgres()
  const client = new Client(postgres.config('postgres'))
  const admin = new Client(postgres.config('supabase_admin'))
  const stop = async (): Promise<void> => {
    await Promise.all([client.end(), admin.end()])
    await postgres.stop()
  }
  const dir = mkdtempSync(join(tmpdir(), 'linnet-scratch-'))
  try {
    await Promise.all([client.connect(), admin.connect()])
    mkdirSync(join(dir, 'migrations'))
    for (const { file, text } of migrations) writeFileSync(join(dir, 'migrations', file), text)
    const roles = join(config.dir, 'roles.sql')
    if (existsSync(roles)) copyFileSync(roles, join(dir, 'roles.sql'))
    await migrate({ postgres: { config: postgres.config }, dir, config, log: noLogger })
    return { client, admin, stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
