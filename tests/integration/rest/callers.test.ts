import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

const schema = `
create table birds (id int primary key, name text not null);
insert into birds values (1, 'linnet');
create function wait_for_gate() returns void language plpgsql as $$ begin perform pg_advisory_xact_lock_shared(1); end $$;
grant usage on schema public to anon, authenticated, service_role;
grant all on all tables in schema public to anon, authenticated, service_role;
`

let server: RestServer
beforeAll(async () => {
  server = await startRest(schema, {
    max: 4,
    queue: 20,
    acquireTimeoutMs: 600_000,
    superuser: 'alter role anon set statement_timeout = 0',
  })
  await server.rest.reload()
})
afterAll(() => server?.stop())

it('serves members while unauthenticated callers fill their share of the pool, and refuses those with 429', async () => {
  const anonymous = await server.client()
  const member = await server.client({ role: 'authenticated', sub: '00000000-0000-4000-8000-000000000001' })
  await server.owner.query('select pg_advisory_lock(1)')
  const responses = Promise.all(Array.from({ length: 60 }, () => anonymous.rpc('wait_for_gate')))
  await expect.poll(() => server.pool.stats().waiting).toBeGreaterThanOrEqual(10)
  const read = await Promise.all(Array.from({ length: 4 }, () => member.from('birds').select('name')))
  expect(read.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(server.pool.stats().waiting).toBeGreaterThan(0)
  await server.owner.query('select pg_advisory_unlock(1)')

  const statuses = (await responses).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([204, 429]))
  const refused = await responses.then((all) => all.find(({ status }) => status === 429))
  expect(refused!.error).toEqual({
    code: '53400',
    message: 'Too many of your requests wait for the database. Try again in a moment.',
    details: null,
    hint: null,
  })
})
