import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBinaries } from '../postgres/server/binaries.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

/** What is known of a stopped PostgreSQL. */
export interface PostgresDataFacts {
  data: string
  exists: boolean
  /** The major version that created the data; null if that is unknown. */
  version: number | null
  /** Files without which PostgreSQL does not start. */
  missing: string[]
  /** The major version of the programs, or why they cannot be used. */
  programs: { major: number } | { error: string }
}

/** Judges whether PostgreSQL could start on its data. */
export function judgePostgresData(facts: PostgresDataFacts): LocalFinding[] {
  const { data, exists, version, missing, programs } = facts
  if ('error' in programs)
    return [createLocalFinding('postgres.unavailable', {}, { details: [programs.error] })]
  if (!exists) return []
  if (missing.length > 0 || version === null)
    return [
      createLocalFinding(
        'postgres.damaged',
        {},
        { details: [`The folder is ${data}.`, ...missing.map((name) => `${name} is missing.`)] },
      ),
    ]
  if (version !== programs.major)
    return [createLocalFinding('postgres.other_version', { version, included: programs.major })]
  return [createLocalFinding('postgres.startable', { version })]
}

const requiredFiles = ['PG_VERSION', 'global/pg_control', 'postgresql.conf', 'base', 'pg_wal']

/** Reads what is known of a stopped PostgreSQL. Returns null if this user may not read its folder. */
export function readPostgresData(dataDir: string): PostgresDataFacts | null {
  const data = join(dataDir, 'postgres')
  const exists = existsSync(data)
  try {
    return {
      data,
      exists,
      version: exists ? readVersion(join(data, 'PG_VERSION')) : null,
      missing: exists ? requiredFiles.filter((name) => !existsSync(join(data, name))) : [],
      programs: findPrograms(),
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null
    throw error
  }
}

function readVersion(file: string): number | null {
  if (!existsSync(file)) return null
  const version = Number(readFileSync(file, 'utf8').trim())
  return Number.isInteger(version) && version > 0 ? version : null
}

function findPrograms(): PostgresDataFacts['programs'] {
  try {
    return { major: findBinaries().major }
  } catch (error) {
    if (error instanceof StartError) return { error: error.message }
    throw error
  }
}
