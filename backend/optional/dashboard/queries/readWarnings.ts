import { nullOnError, type DatabaseReader } from '../readDatabase.ts'
import { readJobs } from './jobs.ts'
import { readMigrations } from './migrations.ts'
import { readRoutines } from './routines.ts'
import { readDisk } from './server.ts'
import { readPolicies } from './tableDetails.ts'
import { readTables } from './tables.ts'
import { findWarnings, type Warning } from './warnings.ts'

export interface WarningSources {
  database: DatabaseReader
  supabaseDir: string
  dataDir: string
  schemas: string[]
  running: () => { url: string; mailbox: string | null }
  realtime: () => { replicating: boolean }
}

/** Collects warnings for the administrator; null if the database is too slow. */
export async function readWarnings(o: WarningSources): Promise<Warning[] | null> {
  const { database, schemas } = o
  const [tables, policies, routines, migrations, jobs, disk] = await Promise.all([
    nullOnError(readTables(database, { counted: false })),
    nullOnError(readPolicies(database, schemas)),
    nullOnError(readRoutines(database, schemas)),
    nullOnError(readMigrations(database, o.supabaseDir)),
    nullOnError(readJobs(database)),
    readDisk(o.dataDir),
  ])
  if (tables === null || policies === null || routines === null || migrations === null) return null
  const { url, mailbox } = o.running()
  return findWarnings({
    tables,
    policies,
    routines,
    schemas,
    pending: migrations.filter(({ applied }) => !applied).length,
    jobs: jobs ?? [],
    disk,
    mailbox: mailbox !== null,
    replicating: o.realtime().replicating,
    publicUrl: url,
  })
}
