import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { loadConfig } from '../../backend/config/loadConfig.ts'
import { createDeclared, readFacts } from '../../backend/optional/schemaDiff/createDeclared.ts'
import { runSchemaFiles } from '../../backend/optional/schemaDiff/runSchemaFiles.ts'
import { compareExactly, describeDifference } from '../../backend/postgres/catalogue/compareExactly.ts'
import { readCatalogue, type Catalogue } from '../../backend/postgres/catalogue/readCatalogue.ts'
import { createHistoryTables } from '../../backend/postgres/schema/historyTables.ts'
import { allSchemaFiles, listSchemaFiles } from '../../backend/postgres/schema/schemaFiles.ts'
import { temporaryPostgres } from '../../backend/postgres/server/temporaryPostgres.ts'
import { fillLinnetData, supabaseDir } from './support/linnetData.ts'
import { openPlatformDatabase, testDatabases, type TestDatabase } from './support/testDatabases.ts'

const config = loadConfig(supabaseDir)
const { files, unmatched } = listSchemaFiles(config)

it('schema_paths lists every file of the schema, and only files that exist', () => {
  const listed = files.map(({ name }) => name)
  expect(listed.length).toBeGreaterThan(50)
  expect(listed.toSorted()).toEqual(allSchemaFiles(supabaseDir).map(({ name }) => name))
  expect(unmatched).toEqual([])
})

describe.each(testDatabases)('on $name', ({ open }) => {
  let declared: Omit<TestDatabase, 'content'>
  let client: Client
  let migrated: Catalogue

  beforeAll(async () => {
    const database = await open()
    const reader = new Client(database.config('postgres'))
    await reader.connect()
    migrated = await readCatalogue(reader)
    await reader.end()
    await database.stop()
    declared = await openPlatformDatabase()
    client = new Client(declared.config('postgres'))
    await client.connect()
    await client.query(createHistoryTables)
    await runSchemaFiles(client, files)
  })
  afterAll(async () => {
    await client?.end()
    await declared?.stop()
  })

  const differences = async (): Promise<string[]> =>
    compareExactly(await readCatalogue(client), migrated).map(describeDifference)

  it('the role of migrations is not a superuser', async () => {
    const { rows } = await client.query(
      'select rolname, rolsuper from pg_roles where rolname = (select pg_get_userbyid(proowner) from pg_proc where oid = $1::regproc)',
      ['public.send_message'],
    )
    expect(rows).toEqual([{ rolname: 'postgres', rolsuper: false }])
  })

  it('the migrations create exactly the objects of the schema files', async () => {
    expect(migrated.size).toBeGreaterThan(5_000)
    expect(await differences()).toEqual([])
  })

  it('one changed token of a function is a difference', async () => {
    const { rows } = await client.query<{ definition: string }>(
      `select pg_get_functiondef('app.has_scope'::regproc) as definition`,
    )
    await client.query('begin')
    await client.query(rows[0]!.definition.replace(' = ', ' <> '))
    expect(await differences()).toEqual([
      expect.stringMatching(/^The function app\.has_scope\(scope text\) differs: /),
    ])
    await client.query('rollback')
  })
})

it.runIf(inject('cluster').isEmbedded)(
  'the migrations insert exactly the rows of the schema files',
  async () => {
    const [declared, migrated] = await Promise.all([
      createDeclared(config, files),
      temporaryPostgres(fillLinnetData),
    ])
    const client = new Client(migrated.config('postgres'))
    try {
      await client.connect()
      const expected = await readFacts(declared.client)
      expect(expected.get('rows public.settings')?.value).toMatch(/^\d+ rows with the digest /)
      expect(compareExactly(expected, await readFacts(client)).map(describeDifference)).toEqual([])
    } finally {
      await client.end()
      await Promise.all([declared.stop(), migrated.stop()])
    }
  },
)
