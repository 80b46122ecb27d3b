import { orNull, type DatabaseReader } from '../readDatabase.ts'
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

/** Looks everywhere for what the owner should know; null where the database doesn't tell in time. */
export async function readWarnings(o: WarningSources): Promise<Warning[] | null> {
  const { database, schemas } = o
  const [tables, policies, routines, migrations, jobs, disk] = await Promise.all([
    orNull(readTables(database, { counted: false })),
    orNull(readPolicies(database, schemas)),
    orNull(readRoutines(database, schemas)),
    orNull(readMigrations(database, o.supabaseDir)),
    orNull(readJobs(database)),
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
