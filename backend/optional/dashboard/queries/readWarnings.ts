import { nullOnError, type DatabaseReader } from '../readDatabase.ts'
import { readJobs } from './jobs.ts'
import { readRoutines } from './routines.ts'
import { readPolicies } from './tableDetails.ts'
import { readTables } from './tables.ts'
import { findWarnings, type Warning } from './warnings.ts'

export interface WarningSources {
  database: DatabaseReader
  schemas: string[]
}

/** Collects warnings about the rights of tables, policies and functions, and about jobs; null if the database is too slow. */
export async function readWarnings({ database, schemas }: WarningSources): Promise<Warning[] | null> {
  const [tables, policies, routines, jobs] = await Promise.all([
    nullOnError(readTables(database, { counted: false })),
    nullOnError(readPolicies(database, schemas)),
    nullOnError(readRoutines(database, schemas)),
    nullOnError(readJobs(database)),
  ])
  if (tables === null || policies === null || routines === null) return null
  return findWarnings({ tables, policies, routines, schemas, jobs: jobs ?? [] })
}
