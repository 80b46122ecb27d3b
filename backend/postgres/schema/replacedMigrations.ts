import { readFileSync } from 'node:fs'
import type { MigrationFile } from './migrationFiles.ts'

/** A migration that replaces others, in a database that has some of these. */
export interface Replacement {
  migration: MigrationFile
  /** The versions that the migration replaces. */
  replaced: string[]
  /** Replaced versions that the database lacks. */
  missing: string[]
  /** Recorded versions that are neither replaced nor the versions of later files. */
  unknown: string[]
  /** Later files that are recorded already. */
  later: MigrationFile[]
}

/** The versions in the line `-- replaces: …` of a migration's header. */
function replacedVersions(path: string): string[] {
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (!line.startsWith('--') && line.trim() !== '') return []
    const versions = /^--\s*replaces:\s*(.*)$/.exec(line)?.[1]
    if (versions !== undefined) return versions.split(/\s+/).filter((version) => version !== '')
  }
  return []
}

/** The migration that replaces recorded versions; null if there is none. */
export function findReplacement(
  migrations: readonly MigrationFile[],
  recorded: readonly string[],
): Replacement | null {
  const known = new Set(recorded)
  for (const [at, migration] of migrations.entries()) {
    const replaced = replacedVersions(migration.path)
    if (!replaced.some((version) => known.has(version))) continue
    const later = migrations.slice(at + 1).filter(({ version }) => known.has(version))
    const expected = new Set([...replaced, ...later.map(({ version }) => version)])
    return {
      migration,
      replaced,
      missing: replaced.filter((version) => !known.has(version)),
      unknown: recorded.filter((version) => !expected.has(version)),
      later,
    }
  }
  return null
}
