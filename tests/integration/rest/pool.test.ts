import { request } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createPool, type Pool } from '../../../backend/postgres/connections/pool.ts'
import { startPostgres } from '../../../backend/postgres/server/startPostgres.ts'
import type { Postgres } from '../../../backend/postgres/server/startPostgres.ts'
import type { Claims } from '../../../wire/claims.ts'
import { startRest } from './startRest.ts'
import type { RestServer, RestResponse } from './startRest.ts'

const schema = `
create table birds (id int primary key, name text not null);
insert into birds values (1, 'linnet'), (2, 'wren');
create table marks (word text);
create function sleepy(seconds float) returns void language plpgsql as $$
  begin insert into marks values ('slept'); perform pg_sleep(seconds); end $$;
create function raises(state text) returns void language plpgsql as $$
  begin raise exception using errcode = state, message = 'as requested'; end $$;
create function leave(what text) returns text language plpgsql as $$ begin execute what; return current_user; end $$;
create function left_behind() returns json language sql volatile as $$
  select json_build_object(
    'user', current_setting('app.user', true), 'status', nullif(current_setting('response.status', true), ''),
    'scratch', to_regclass('scratch'), 'limit', current_setting('lock_timeout'),
    'locks', (select count(*) from pg_locks where locktype = 'advisory')) $$;
create function clear() returns void language sql as 'delete from birds';
grant usage on schema public to anon, authenticated, service_role;
grant all on all tables in schema public to anon, authenticated, service_role;
`

let server: RestServer
let restarted: Postgres | undefined
let impatient: Pool | undefined
beforeAll(async () => {
  server = await startRest(schema, {
    max: 1,
    queue: 3,
    // No limit of time ends what a test holds or waits for, however busy the machine is.
    acquireTimeoutMs: 600_000,
    superuser:
      'alter role authenticator set statement_timeout = 0; alter role anon set statement_timeout = 0',
  })
  await server.rest.reload()
})
afterAll(async () => {
  await impatient?.end()
  await restarted?.stop()
  await server?.stop()
})

/** Running statements of the API. */
const running = async (): Promise<number> =>
  (
    await server.owner.query(
      `select from pg_stat_activity where state = 'active' and usename = 'authenticator' and query like '%sleepy%'`,
    )
  ).rowCount!

/** A request that the caller can abort. */
function leaving(path: string): { leave(): void } {
  const [to, query = ''] = path.split('?')
  const body = JSON.stringify(Object.fromEntries(new URLSearchParams(query)))
  const outgoing = request(`${server.url}${to}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
  })
  outgoing.once('error', () => {})
  outgoing.end(body)
  return { leave: () => outgoing.destroy() }
}

const service = { apikey: 'service' }
const sleep = (seconds: number): Promise<RestResponse> =>
  server.request('/rpc/sleepy', { method: 'POST', body: { seconds }, headers: service })
/** Ends the statement of `sleep`. */
const wake = (): Promise<unknown> =>
  server.owner.query(
    `select pg_cancel_backend(pid) from pg_stat_activity where usename = 'authenticator' and state = 'active'`,
  )

// A failing test must not occupy the connection of the next.
afterEach(() => wake().catch(() => {}))

describe('a pool of one connection', () => {
  it('responds with 504 after the timeout', async () => {
    const pool = createPool(server.postgres.config('authenticator'), {
      max: 1,
      name: 'impatient',
      acquireTimeoutMs: 1_000,
    })
    impatient = pool
    const request = await server.beside({}, pool)
    // Its connection is open.
    await expect.poll(async () => (await request('/birds')).status).toBe(200)
    const holding = request('/rpc/sleepy', { method: 'POST', body: { seconds: 600 }, headers: service })
    await expect.poll(running).toBe(1)
    const { status, headers, json } = await request('/birds')
    expect([status, headers.get('Retry-After'), headers.get('Proxy-Status'), json]).toMatchObject([
      504,
      '1',
      'PostgREST; error=PGRST003',
      { code: 'PGRST003', message: 'Timed out acquiring connection from connection pool.' },
    ])
    await wake()
    expect(await holding).toMatchObject({ status: 500, json: { code: '57014' } })
    await expect.poll(async () => (await request('/birds')).status).toBe(200)
  })

  it('responds with 503 if the queue is full', async () => {
    const holding = sleep(600)
    await expect.poll(running).toBe(1)
    const people = ['a', 'b', 'c'].map((sub) => ({ role: 'anon', sub }))
    const waiting = people.map((claims) => server.request('/birds', { claims }))
    await expect.poll(() => server.pool.stats().waiting).toBe(3)
    const refused = await server.request('/birds')
    expect([refused.status, refused.headers.get('Retry-After'), refused.json]).toMatchObject([
      503,
      '1',
      { code: 'PGRST003', message: 'Too many requests wait for the database.' },
    ])
    await wake()
    expect(await holding).toMatchObject({ status: 500, json: { code: '57014' } })
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('responds with 429 to a caller that has used its share of the queue, while others can wait', async () => {
    const holding = sleep(600)
    await expect.poll(running).toBe(1)
    const waiting = [server.request('/birds')]
    await expect.poll(() => server.pool.stats().waiting).toBe(1)
    const refused = await server.request('/birds')
    expect([refused.status, refused.headers.get('Retry-After'), refused.json]).toMatchObject([
      429,
      '1',
      { code: '53400' },
    ])
    waiting.push(server.request('/birds', { claims: { role: 'anon', sub: 'a' } }))
    await expect.poll(() => server.pool.stats().waiting).toBe(2)
    await wake()
    await holding
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
  })

  it('uses no connection for requests that need none', async () => {
    const holding = sleep(600)
    await expect.poll(running).toBe(1)
    expect((await server.request('/a/b')).status).toBe(404)
    expect((await server.request('/birds', { method: 'PROPFIND' })).status).toBe(405)
    expect((await server.request('/birds?select=*,nests(*)')).status).toBe(400)
    expect((await server.request('/birds', { method: 'OPTIONS' })).status).toBe(200)
    expect((await server.request('/birds', { headers: { Authorization: 'Bearer a.b' } })).status).toBe(401)
    expect(server.pool.stats().waiting).toBe(0)
    await wake()
    await holding
  })
})

describe('an aborted request', () => {
  const marks = async (): Promise<number> => (await server.owner.query('select from marks')).rowCount!

  it('cancels its statement and rolls back', async () => {
    const request = leaving('/rpc/sleepy?seconds=600')
    await expect.poll(running).toBe(1)
    request.leave()
    await expect.poll(running).toBe(0)
    expect((await server.request('/birds')).status).toBe(200)
    expect(await marks()).toBe(0)
  })

  it('leaves the queue without running', async () => {
    const holding = sleep(600)
    await expect.poll(running).toBe(1)
    const request = leaving('/rpc/sleepy?seconds=0')
    await expect.poll(() => server.pool.stats().waiting).toBe(1)
    request.leave()
    await expect.poll(() => server.pool.stats().waiting).toBe(0)
    await wake()
    await holding
    expect((await server.request('/birds')).status).toBe(200)
    expect(await marks()).toBe(0)
  })
})

describe('session state of a function', () => {
  const left = async (): Promise<unknown> =>
    (await server.request('/rpc/left_behind', { method: 'POST', headers: service })).json
  const clean = { user: null, status: null, scratch: null, limit: '8s', locks: 0 }

  it('does not affect the next request on the connection', async () => {
    for (const what of [
      `select set_config('app.user', 'Ann', false)`,
      `select set_config('response.status', '418', false)`,
      `set lock_timeout = '1ms'`,
      'create temp table scratch as select 1 as secret',
      'select pg_advisory_lock(42)',
      'set role service_role',
      'listen gossip',
    ]) {
      for (const role of ['authenticated', 'service_role']) {
        const response = await server.request('/rpc/leave', {
          method: 'POST',
          body: { what },
          claims: { role },
        })
        expect([what, [200, 401, 403, 418].includes(response.status)]).toEqual([what, true])
        const { user, ...rest } = (await left()) as typeof clean
        // A reset custom setting is empty, not absent.
        expect({ user: user || null, ...rest }).toEqual(clean)
        expect(
          (await server.request('/rpc/leave', { method: 'POST', body: { what: 'select 1' } })).json,
        ).toBe('anon')
      }
    }
  })

  it('never changes the role of the next request, however the previous one ended', async () => {
    const ends: [string, object][] = [
      ['/rpc/leave', { method: 'POST', body: { what: 'set role authenticated' }, headers: service }],
      ['/rpc/leave', { method: 'POST', body: { what: 'select 1 / 0' }, headers: service }],
      ['/rpc/leave', { method: 'POST', body: { what: `set statement_timeout = '1ms'` }, headers: service }],
      [
        '/rpc/leave',
        { method: 'POST', body: { what: 'select 1' }, headers: { ...service, Prefer: 'tx=rollback' } },
      ],
      ['/birds?nothing=eq.1', { headers: service }],
      ['/birds?id=eq.1', { headers: { ...service, Accept: 'application/vnd.pgrst.object+json' } }],
    ]
    for (const [path, o] of ends) {
      await server.request(path, o)
      const who = async (claims?: Claims): Promise<unknown> =>
        (
          await server.request('/rpc/leave', {
            method: 'POST',
            body: { what: 'select 1' },
            ...(claims && { claims }),
          })
        ).json
      expect([path, o, await who(), await who({ role: 'authenticated' })]).toEqual([
        path,
        o,
        'anon',
        'authenticated',
      ])
    }
  })
})

describe('a statement without a filter', () => {
  it('is refused', async () => {
    for (const [method, verb] of [
      ['PATCH', 'UPDATE'],
      ['DELETE', 'DELETE'],
    ]) {
      const body = method === 'PATCH' ? { body: { name: 'x' } } : {}
      expect(await server.request('/birds', { method: method!, ...body })).toMatchObject({
        status: 400,
        json: { code: '21000', message: `${verb} requires a WHERE clause` },
      })
    }
    expect((await server.owner.query('select from birds')).rowCount).toBe(2)
  })

  it.fails('is refused in a function too, like on hosted projects with safeupdate', async () => {
    const response = await server.request('/rpc/clear', {
      method: 'POST',
      headers: { Prefer: 'tx=rollback' },
    })
    expect(response).toMatchObject({ status: 400, json: { code: '21000' } })
  })
})

describe('a lost database', () => {
  it('is distinguished from an error that a function raises', async () => {
    const backend = (): Promise<RestResponse> =>
      server.request('/rpc/leave', { method: 'POST', body: { what: 'select 1' } })
    await backend()
    const { rows } = await server.pool.query('select pg_backend_pid() as pid')
    for (const [state, status] of [
      ['57P01', 503],
      ['57P03', 500],
      ['08006', 503],
      ['53300', 503],
    ]) {
      const response = await server.request('/rpc/raises', { method: 'POST', body: { state } })
      expect(response).toMatchObject({ status, json: { code: state, message: 'as requested' } })
    }
    expect((await server.pool.query('select pg_backend_pid() as pid')).rows).toEqual(rows)
  })

  it('is 503 for running statements, and recovers', async () => {
    for (let i = 0; i < 3; i++) {
      const asleep = sleep(600)
      await expect.poll(running).toBe(1)
      await server.owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator'`,
      )
      const response = await asleep
      expect([response.status, response.headers.get('Retry-After'), response.json]).toMatchObject([
        503,
        '1',
        { code: 'PGRST001' },
      ])
      await expect.poll(async () => (await server.request('/birds')).status).toBe(200)
    }
  })

  it('is 503 during a restart, and recovers', async () => {
    await server.owner.end()
    const responses: RestResponse[] = []
    const stopping = server.postgres.stop()
    while (responses.at(-1)?.status !== 503) responses.push(await server.request('/birds'))
    await stopping
    const away = await server.request('/birds')
    expect([away.status, away.headers.get('Retry-After'), away.json]).toMatchObject([
      503,
      '1',
      { code: 'PGRST000', message: 'Database connection error.' },
    ])
    restarted = await startPostgres({ dataDir: server.postgres.dataDir })
    await expect.poll(async () => (await server.request('/birds')).status).toBe(200)
    // Subscribers to changes are connected again too.
    const owner = createPool(restarted.config('postgres'), { max: 1, name: 'owner' })
    await owner.query('create table late (id int primary key); grant select on late to anon')
    await expect.poll(async () => (await server.request('/late')).status).toBe(200)
    await owner.end()
    expect([200, 503]).toEqual(expect.arrayContaining(responses.map(({ status }) => status)))
    expect(server.logged).toEqual([])
  })
})
