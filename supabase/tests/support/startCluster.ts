import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import type { TestProject } from 'vitest/node'
import { serviceRoles, type ServiceRole } from '../../../backend/postgres/server/passwords.ts'
import { temporaryPostgres } from '../../../backend/postgres/server/temporaryPostgres.ts'
import { createContent, type FixtureContent } from './fixture.ts'
import { fillLinnetData } from './linnetData.ts'
import { startOtherPostgres, testSettings, type RunningCluster } from './startOtherPostgres.ts'

/** A running PostgreSQL, whose database `postgres` has Linnet's schema and the people of the fixture, and is only copied. */
export interface Cluster {
  /** Such as "PostgreSQL 18". */
  name: string
  isEmbedded: boolean
  configs: Record<ServiceRole, ClientConfig>
  content: FixtureContent
}

declare module 'vitest' {
  interface ProvidedContext {
    cluster: Cluster
  }
}

/**
 * Starts the PostgreSQL of a project's rules before its first file: the embedded one, or the one in the folder that the
 * project's LINNET_POSTGRES names (with `bin` below it). Each file has a database of its own in it: `testDatabases`.
 */
export default async function startCluster(project: TestProject): Promise<() => Promise<void>> {
  const folder = project.config.env?.['LINNET_POSTGRES']
  const cluster = await (folder === undefined ? startEmbedded() : startOtherPostgres(folder))
  try {
    const content = await createContent(cluster)
    const client = new Client(cluster.config('supabase_admin'))
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    await client.query('analyze')
    await client.end()
    project.provide('cluster', {
      name: `PostgreSQL ${Number.parseInt(rows[0]!.server_version, 10)}`,
      isEmbedded: folder === undefined,
      configs: Object.fromEntries(
        serviceRoles.map((role) => [role, cluster.config(role)]),
      ) as Cluster['configs'],
      content,
    })
    return () => cluster.stop()
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

async function startEmbedded(): Promise<RunningCluster> {
  return temporaryPostgres(async (dataDir) => {
    await fillLinnetData(dataDir)
    // As `alter system` writes it: it overrides the settings that Linnet renders at each start.
    const file = join(dataDir, 'postgres', 'postgresql.auto.conf')
    const lines = Object.entries(testSettings).map(([name, value]) => `${name} = '${value}'\n`)
    writeFileSync(file, lines.join(''), { flag: 'a' })
  })
}
