import { readFileSync } from 'node:fs'
import type { Client } from 'pg'
import { runStatements } from '../../postgres/schema/runStatements.ts'
import type { SchemaFile } from '../../postgres/schema/schemaFiles.ts'
import { splitStatements } from '../../postgres/schema/splitStatements.ts'

/** A statement of the schema files. */
export interface SchemaStatement {
  /** As written, with the comments before it, without its semicolon. */
  text: string
  file: string
  line: number
}

/**
 * Runs each file in a transaction of its own. Throws MigrationError with file and line. The database must have the tables
 * in which `migrate` records its progress.
 * @param client of postgres
 */
export async function runSchemaFiles(
  client: Client,
  files: readonly SchemaFile[],
): Promise<SchemaStatement[]> {
  const all: SchemaStatement[] = []
  for (const { name, path } of files) {
    const statements = splitStatements(readFileSync(path, 'utf8'))
    await client.query('discard all')
    await runStatements({ client, file: name, statements, notice() {}, async record() {} })
    all.push(...statements.map(({ text, line }) => ({ text, file: name, line })))
  }
  await client.query('discard all')
  return all
}
