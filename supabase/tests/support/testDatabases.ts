import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'
import type { TestDatabase } from './fixture.ts'

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
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // Copying a database requires that nobody is connected to it.
  const administer = async (...statements: string[]): Promise<void> => {
    const client = new Client({ ...configs.supabase_admin, database: 'template1' })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await administer(
    `create database ${name} owner postgres template postgres strategy file_copy`,
    // A copy of a database has none of the settings of the original.
    `alter database ${name} set search_path to "$user", public, extensions`,
  )
  return {
    config: (role) => ({ ...configs[role], database: name }),
    content,
    stop: () => administer(`drop database if exists ${name} with (force)`),
  }
}
