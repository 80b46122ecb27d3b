import { Client } from 'pg'
import { expect, it } from 'vitest'
import { selectPortableFacts } from '../../backend/optional/deploy/selectPortableFacts.ts'
import { readCatalogue } from '../../backend/postgres/catalogue/readCatalogue.ts'
import { temporaryPostgres } from '../../backend/postgres/server/temporaryPostgres.ts'
import type { TestDatabase } from './support/fixture.ts'
import { fillLinnetData } from './support/linnetData.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Objects of Linnet's schemas, and its policies, buckets and jobs elsewhere. The platform creates the other objects. */
const isOwn = (name: string): boolean =>
  /\b(?:public|app)\.|^(?:policy|bucket|job) /.test(name) &&
  !name.endsWith(' on cron.job') &&
  !name.endsWith(' on cron.job_run_details')

/** PostgreSQL 16 and later quote the name `json`, which is a keyword there. */
const unquoteJson = (value: string): string => value.replaceAll('"json"', 'json')

async function readEntries(database: Pick<TestDatabase, 'config' | 'stop'>): Promise<Record<string, string>> {
  const client = new Client(database.config('supabase_admin'))
  await client.connect()
  try {
    const catalogue = selectPortableFacts(await readCatalogue(client))
    return Object.fromEntries(
      [...catalogue].filter(([name]) => isOwn(name)).map(([name, { value }]) => [name, unquoteJson(value)]),
    )
  } finally {
    await client.end()
    await database.stop()
  }
}

it.each(testDatabases)(
  'the migrations create the same objects on $name as on the embedded server',
  async ({ open }) => {
    const embedded = await readEntries(await temporaryPostgres(fillLinnetData))
    expect(Object.keys(embedded).length).toBeGreaterThan(1_000)
    expect(await readEntries(await open())).toEqual(embedded)
  },
)
