import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileSync } from '../../runtime/durableFiles.ts'
import { listMigrations } from './migrationFiles.ts'
import { platformFiles } from './platformFiles.ts'

/** Digest of everything that defines the schema: the platform's files and the migrations of a supabase folder. */
function schemaDigest(supabaseDir: string): string {
  const hash = createHash('sha256')
  for (const { name, sql } of platformFiles()) hash.update(`${name}\0${sql}\0`)
  for (const { file, path } of listMigrations(supabaseDir).migrations) {
    hash.update(`${file}\0`).update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex')
}

const digestFile = (dataDir: string): string => join(dataDir, 'schema.digest')
const changingFile = (dataDir: string): string => join(dataDir, 'schema.changing')

/**
 * Whether starting with this supabase folder will change the schema. False while an earlier change has not succeeded:
 * the backup was taken before that one, and the data may be inconsistent since.
 */
export function willChangeSchema(dataDir: string, supabaseDir: string): boolean {
  if (existsSync(changingFile(dataDir))) return false
  const digest = digestFile(dataDir)
  return !existsSync(digest) || readFileSync(digest, 'utf8') !== schemaDigest(supabaseDir)
}

/** Marks the start of a schema change, after the backup. */
export function beginSchemaChange(dataDir: string): void {
  writeFileSync(changingFile(dataDir), '', { mode: 0o600 })
}

/** Marks the end of a schema change: the schema matches the supabase folder. */
export function finishSchemaChange(dataDir: string, supabaseDir: string): void {
  replaceFileSync(digestFile(dataDir), schemaDigest(supabaseDir))
  rmSync(changingFile(dataDir), { force: true })
}
