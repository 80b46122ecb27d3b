import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'
import { createPool } from '../../../backend/postgres/connections/pool.ts'
import { migratePlatform } from '../../../backend/postgres/schema/migratePlatform.ts'
import type { TestDatabase } from './fixture.ts'
import { preparePlatform } from './preparePlatform.ts'

export type { TestDatabase } from './fixture.ts'

interface DatabaseKind {
  name: string
  /** Opens a new database with the people of the fixture. */
  open(): Promise<TestDatabase>
}

/** The server on which this project tests the rules: `startCluster`. */
export const testDatabases: DatabaseKind[] = [{ name: inject('cluster').name, open: openDatabase }]

async function openDatabase(): Promise<TestDatabase> {
  const { configs, content } = inject('cluster')
  const name = await createDatabase('template postgres strategy file_copy')
  // A copy of a database has none of the settings of the original.
  await administer(`alter database ${name} set search_path to "$user", public, extensions`)
  return {
    config: (role) => ({ ...configs[role], database: name }),
    content,
    stop: () => administer(`drop database if exists ${name} with (force)`),
  }
}

/** Opens a new database with the platform and without Linnet's schema, on the same server. */
export async function openPlatformDatabase(): Promise<Omit<TestDatabase, 'content'>> {
  const { configs, isEmbedded } = inject('cluster')
  const name = await createDatabase('template template0')
  const config: TestDatabase['config'] = (role) => ({ ...configs[role], database: name })
  const pool = createPool(config('supabase_admin'), { max: 1, name: 'platform' })
  await (isEmbedded ? migratePlatform(pool) : preparePlatform(pool)).finally(() => pool.end())
  return { config, stop: () => administer(`drop database if exists ${name} with (force)`) }
}

async function createDatabase(options: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administer(`create database ${name} owner postgres ${options}`)
  return name
}

/** Runs a statement in another database: while somebody is connected to a database, PostgreSQL does not copy it. */
async function administer(statement: string): Promise<void> {
  const client = new Client({ ...inject('cluster').configs.supabase_admin, database: 'template1' })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
