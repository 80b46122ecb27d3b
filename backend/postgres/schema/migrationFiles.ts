import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../server/StartError.ts'

export interface MigrationFile {
  version: string
  name: string
  file: string
  path: string
}

const namePattern = /^(\d+)_(.*)\.sql$/

/** `<version>_<name>.sql`, as the Supabase CLI names them; others are skipped, as it does. In order of version. */
export function listMigrations(dir: string): { migrations: MigrationFile[]; skipped: string[] } {
  const folder = join(dir, 'migrations')
  const migrations: MigrationFile[] = []
  const skipped: string[] = []
  if (!existsSync(folder)) return { migrations, skipped }
  for (const file of readdirSync(folder)) {
    const match = namePattern.exec(file)
    if (match) migrations.push({ version: match[1]!, name: match[2]!, file, path: join(folder, file) })
    else if (!file.startsWith('.')) skipped.push(file)
  }
  migrations.sort((a, b) => compare(a.version, b.version) || compare(a.file, b.file))
  return { migrations, skipped }
}

/** Throws StartError where two have the same version: only one of them could be recorded. */
export function rejectDuplicateVersions(migrations: MigrationFile[]): void {
  const at = migrations.findIndex((one, i) => one.version === migrations[i + 1]?.version)
  if (at < 0) return
  const [one, other] = migrations.slice(at)
  throw new StartError(
    `${one!.file} and ${other!.file}: two migrations have the version ${one!.version}. Give one of them another.`,
  )
}

/**
 * The migrations to apply, given the recorded versions. Like the Supabase CLI (`FindPendingMigrations` of its
 * `pkg/migration/apply.go`) it refuses, with a StartError, a database that knows migrations which the folder
 * lacks, and a migration older than the last applied one.
 */
export function findPending(migrations: MigrationFile[], applied: string[]): MigrationFile[] {
  rejectDuplicateVersions(migrations)
  const local = new Set(migrations.map((migration) => migration.version))
  const missing = applied.filter((version) => !local.has(version))
  if (missing.length > 0) {
    const more = missing.length > 3 ? ` and ${missing.length - 3} more` : ''
    throw new StartError(
      `The database has migrations that the folder lacks: ${missing.slice(0, 3).join(', ')}${more}. ` +
        'Restore the files, use the version or branch that created the database, or choose another data folder.',
    )
  }
  const appliedVersions = new Set(applied)
  const pending = migrations.filter((migration) => !appliedVersions.has(migration.version))
  const last = [...applied].sort(compare).at(-1) ?? ''
  const outOfOrder = pending.filter((migration) => compare(migration.version, last) < 0)
  if (outOfOrder.length > 0) {
    throw new StartError(
      `${outOfOrder.map((migration) => migration.file).join(', ')} is older than ${last}, which has been applied. ` +
        'Rename it to a later version, so that every database gets the migrations in the same order.',
    )
  }
  return pending
}

/** By text, as the CLI and its table order them. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
