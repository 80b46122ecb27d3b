import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRest } from './startRest.ts'
import type { RestServer, RestResponse } from './startRest.ts'

const schema = `
create table birds (id int primary key, name text not null);
insert into birds select i, 'bird ' || i from generate_series(1, 20) i;
create table nests (id int primary key, bird_id int references birds, height int);
insert into nests select i, i, i from generate_series(1, 20) i;
create schema other;
create function total(a int, b int) returns int language sql immutable as 'select a + b';
grant usage on schema public, other to anon;
grant all on all tables in schema public to anon;
`

let server: RestServer
beforeAll(async () => {
  server = await startRest(schema)
})
afterAll(() => server?.stop())

const readings = (): number => server.noted.filter((line) => line.includes('rest.schema_loaded')).length

/** Sends parallel requests during `work` and returns all responses. */
async function whileReading(
  paths: string[],
  work: (responses: RestResponse[]) => Promise<unknown>,
): Promise<RestResponse[]> {
  const responses: RestResponse[] = []
  const over = new AbortController()
  const readers = Array.from({ length: 4 }, async (_, i) => {
    while (!over.signal.aborted) responses.push(await server.request(paths[i % paths.length]!))
  })
  try {
    await work(responses)
  } finally {
    over.abort()
  }
  await Promise.all(readers)
  return responses
}

/** The distinct responses: status and rows, or status and code. */
function kinds(responses: RestResponse[]): Set<string> {
  return new Set(
    responses.map(
      ({ status, json, text }) => `${status} ${status === 200 ? text : (json as { code: string }).code}`,
    ),
  )
}

/** Waits until the requested reload is in use. */
async function served(): Promise<void> {
  const mark = `mark_${randomUUID().slice(0, 8)}`
  await server.owner.query(`create function ${mark}() returns int language sql immutable as 'select 1'`)
  await expect.poll(async () => (await server.request(`/rpc/${mark}`)).status).toBe(200)
  await server.owner.query(`drop function ${mark}`)
}

describe('while the schema changes, a reader sees the old or the new', () => {
  it('name of a table, and no failure of ours', async () => {
    const paths = ['/birds?select=id,nests(height)&limit=3', '/nests?select=id,birds(name)&limit=3']
    const responses = await whileReading(paths, async () => {
      for (let i = 0; i < 3; i++) {
        await server.owner.query('alter table nests rename to homes')
        await expect.poll(async () => (await server.request('/homes?limit=1')).status).toBe(200)
        await server.owner.query('alter table homes rename to nests')
        await expect.poll(async () => (await server.request('/nests?limit=1')).status).toBe(200)
      }
    })
    const rows = responses
      .filter(({ status }) => status === 200)
      .map(({ json }) => (json as unknown[]).length)
    expect(new Set(rows)).toEqual(new Set([3]))
    // Until the reload the old cache may refer to a dropped table (42P01).
    const refused = kinds(responses.filter(({ status }) => status !== 200))
    expect(['404 42P01', '404 PGRST205', '400 PGRST200']).toEqual(expect.arrayContaining([...refused]))
    expect(refused.size).toBeGreaterThan(0)
  })

  it('type of a column, whose statements are prepared', async () => {
    const responses = await whileReading(['/nests?height=eq.7&select=height'], async () => {
      for (const type of ['text', 'bigint', 'text', 'int']) {
        await server.owner.query(`alter table nests alter height type ${type} using height::${type}`)
        await served()
      }
    })
    // Until the reload values may have the old type.
    expect(['200 [{"height":7}]', '200 [{"height":"7"}]', '404 42883']).toEqual(
      expect.arrayContaining([...kinds(responses)]),
    )
    expect([...kinds(responses)]).toEqual(
      expect.arrayContaining(['200 [{"height":7}]', '200 [{"height":"7"}]']),
    )
  })

  it('table, until it is dropped', async () => {
    await server.owner.query(`create table brief (id int primary key); grant select on brief to anon`)
    await expect.poll(async () => (await server.request('/brief')).status).toBe(200)
    const responses = await whileReading(['/brief'], async (soFar) => {
      await expect.poll(() => soFar.length).toBeGreaterThan(3)
      await server.owner.query('drop table brief')
      await expect.poll(async () => (await server.request('/brief')).json).toMatchObject({ code: 'PGRST205' })
    })
    expect(['200 []', '404 42P01', '404 PGRST205']).toEqual(expect.arrayContaining([...kinds(responses)]))
    expect(kinds(responses)).toContain('200 []')
  })

  it('function, the last of many created one by one', async () => {
    for (let i = 1; i <= 5; i++) {
      await server.owner.query(`drop function if exists grow;
        create function grow(upto${i} int) returns int language sql immutable as 'select ${i}'`)
    }
    await expect.poll(async () => (await server.request('/rpc/grow?upto5=1')).json).toBe(5)
  })
})

describe('a burst', () => {
  it('of schema changes causes one or two reloads', async () => {
    await served()
    let before = readings()
    const change = (i: number): string => `comment on table nests is 'changed ${i} times'`
    const create = (name: string): string =>
      `create table ${name} (id int primary key); grant select on ${name} to anon`
    // In one transaction like a migration, then in one for each statement like psql.
    const all = Array.from({ length: 500 }, (_, i) => change(i))
    await server.owner.query([...all, create('whole')].join(';'))
    await expect.poll(async () => (await server.request('/whole')).status).toBe(200)
    expect(readings() - before).toBeLessThanOrEqual(2)
    before = readings()
    await server.owner.withClient((client) =>
      Promise.all([...all, create('pieces')].map((sql) => client.query(sql))),
    )
    await expect.poll(async () => (await server.request('/pieces')).status).toBe(200)
    expect(readings() - before).toBeLessThanOrEqual(3)
  })

  it('of notifications blocks no requests and causes no more reloads', async () => {
    await served()
    const before = readings()
    const responses = await whileReading(['/birds?limit=1'], async () => {
      await server.owner.withClient(async (client) => {
        await Promise.all(Array.from({ length: 1_000 }, () => client.query(`notify pgrst, 'reload schema'`)))
      })
      await expect.poll(readings).toBeGreaterThan(before)
    })
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    await served()
    expect(readings() - before).toBeLessThanOrEqual(5)
  })
})

describe('a schema that cannot be loaded', () => {
  it('keeps the last one in use, and is loaded later', async () => {
    const admin = new Client(server.postgres.config('supabase_admin'))
    await admin.connect()
    const failures = (): number =>
      server.noted.filter((line) => line.includes('rest.schema_load_failed')).length
    // The login role can't read the catalogue.
    await admin.query('revoke select on pg_catalog.pg_proc from public')
    await admin.query(`create table public.late (id int); grant select on public.late to anon; notify pgrst`)
    await expect.poll(failures).toBeGreaterThan(0)
    expect(await server.request('/birds?limit=1')).toMatchObject({ status: 200 })
    expect(await server.request('/late')).toMatchObject({ status: 404, json: { code: 'PGRST205' } })
    await admin.query('grant select on pg_catalog.pg_proc to public')
    await admin.end()
    await expect.poll(async () => (await server.request('/late')).status).toBe(200)
  })
})

describe('several schemas', () => {
  it('are all reloaded', async () => {
    const sendRequest = async (): Promise<RestResponse> =>
      server.request('/trees', { headers: { 'Accept-Profile': 'other' } })
    expect(await sendRequest()).toMatchObject({ status: 404, json: { code: 'PGRST205' } })
    await server.owner.query(
      'create table other.trees (id int primary key); grant select on other.trees to anon',
    )
    await expect.poll(async () => (await sendRequest()).status).toBe(200)
    expect((await server.request('/trees')).status).toBe(404)
    await server.owner.query('alter table other.trees set schema public')
    await expect.poll(async () => (await server.request('/trees')).status).toBe(200)
    expect((await sendRequest()).status).toBe(404)
    await server.owner.query('drop schema other cascade')
    await served()
    expect((await sendRequest()).status).toBe(404)
    expect(server.logged).toEqual([])
  })
})
