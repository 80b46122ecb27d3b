import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportedChannels } from '../../backend/optional/archive/exportRows.ts'
import { leftBehind } from '../../backend/optional/archive/leftBehind.ts'
import { archivedTables, otherTables } from '../../backend/optional/archive/tables.ts'
import { testDatabases, type TestDatabase } from './support/testDatabases.ts'

/** Tables whose rows a column with a foreign key can refer to, with the kind of reference. */
const referredTables: Record<string, string> = {
  profiles: 'person',
  channels: 'channel',
  messages: 'message',
  user_groups: 'group',
  invitations: 'invitation',
  workspaces: 'workspace',
}

describe.each(testDatabases)('the tables of an archive on $name', ({ open }) => {
  let database: TestDatabase
  let client: Client
  beforeAll(async () => {
    database = await open()
    client = new Client(database.config('postgres'))
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await database.stop()
  })

  it('each table is archived, or has a reason why it is not', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    )
    const declared = [...archivedTables.map(({ name }) => name), ...Object.keys(otherTables)]
    expect(declared.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
  })

  it('each column of an archived table is archived, or has a reason why it is not', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select c.relname || '.' || a.attname as name from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relname = any ($1)`,
      [archivedTables.map(({ name }) => name)],
    )
    const declared = archivedTables.flatMap(({ name, columns, credentials, omitted }) =>
      [...columns, ...credentials, ...Object.keys(omitted)].map((column) => `${name}.${column}`),
    )
    expect(declared.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
  })

  it('each archived column with a foreign key is checked for its workspace', async () => {
    const { rows } = await client.query<{ table: string; column: string; referred: string }>(
      `select t.relname as table, a.attname as column, r.relname as referred
       from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class r on r.oid = k.confrelid
       join pg_attribute a on a.attrelid = t.oid and a.attnum = any (k.conkey)
       where k.contype = 'f' and cardinality(k.conkey) = 1 and r.relname = any ($1) and t.relname = any ($2)`,
      [Object.keys(referredTables), archivedTables.map(({ name }) => name)],
    )
    const unchecked = rows.filter(({ table, column, referred }) => {
      const { columns, credentials, references } = archivedTables.find(({ name }) => name === table)!
      return [...columns, ...credentials].includes(column) && references[column] !== referredTables[referred]
    })
    expect(rows.length).toBeGreaterThan(50)
    expect(unchecked).toEqual([])
  })

  it('the references of a table decide that its rows belong to the workspace', () => {
    // An import accepts a profile by its own rule.
    const unchecked = archivedTables.filter(({ name, within, references }) => {
      const column = /\bt\.(\w+) (?:= \$1|in )|= t\.(\w+)/.exec(within)?.slice(1).find(Boolean) ?? ''
      return name !== 'profiles' && !(column in references)
    })
    expect(unchecked.map(({ name }) => name)).toEqual([])
  })

  it('the query of each entry of leftBehind returns a number', async () => {
    for (const { count } of leftBehind) {
      const { rows } = await client.query(count, ['00000000-0000-0000-0000-000000000000'])
      expect(rows).toEqual([{ count: '0' }])
    }
  })

  it('each order, key and condition can be used in a query', async () => {
    for (const { name, columns, key, within, ownerScope, order } of archivedTables) {
      expect(columns).toEqual(expect.arrayContaining([...key]))
      for (const scope of ['all', 'owner'])
        await client.query(
          `${exportedChannels}, given as (select $1::uuid, $2::text)
           select ${key.join(', ')} from public.${name} t where ${within} and ${ownerScope ?? 'true'} order by ${order}`,
          ['00000000-0000-0000-0000-000000000000', scope],
        )
    }
  })
})
