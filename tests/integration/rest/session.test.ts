import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../backend/config/loadConfig.ts'
import { createLogger } from '../../../backend/logging/logger.ts'
import { createPool } from '../../../backend/postgres/connections/pool.ts'
import { createRestService } from '../../../backend/rest/createRestService.ts'
import { restSettings } from '../../../backend/rest/settings/restSettings.ts'
import type { ServiceEnv } from '../../../wire/claims.ts'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

let server: RestServer
beforeAll(async () => {
  server = await startRest(fixture, { max: 2 })
})
afterAll(() => server?.stop())

const bea = { role: 'authenticated', sub: 'bea', name: 'Bea' }

describe('the caller', () => {
  it('is that of the bearer token, else of the API key', async () => {
    const who = async (o: object): Promise<unknown> => (await server.request('/rpc/whoami', o)).json
    expect(await who({})).toBe('anon')
    expect(await who({ headers: { apikey: 'service' } })).toBe('service_role')
    expect(await who({ claims: bea })).toBe('authenticated')
    expect(await who({ claims: bea, headers: { apikey: 'service' } })).toBe('authenticated')
  })

  it('is never kept on a connection', async () => {
    const callers = Array.from({ length: 40 }, (_, i) =>
      i % 3 === 0 ? undefined : { ...bea, name: i % 3 === 1 ? 'Bea' : 'Ann' },
    )
    const seen = await Promise.all(
      callers.map(
        async (claims) =>
          (await server.request('/notes?select=owner', claims ? { claims } : {})).json as { owner: string }[],
      ),
    )
    callers.forEach((claims, i) => {
      expect(seen[i]!.map(({ owner }) => owner)).toEqual(claims ? [claims.name] : [])
    })
  })

  it('needs a valid token', async () => {
    const sendRequest = async (bearer: string): Promise<unknown[]> => {
      const { status, json, headers } = await server.request('/notes', {
        headers: { Authorization: `Bearer ${bearer}` },
      })
      return [status, (json as { code: string; message: string }).code, headers.get('WWW-Authenticate')]
    }
    const good = await server.token(bea)
    const expired = await server.token({ ...bea, exp: 1_000_000 })
    expect(await sendRequest(expired)).toEqual([
      401,
      'PGRST303',
      'Bearer error="invalid_token", error_description="JWT expired"',
    ])
    expect(await sendRequest(`${good.slice(0, -4)}AAAA`)).toEqual([
      401,
      'PGRST301',
      expect.stringContaining('invalid_token'),
    ])
    expect(await sendRequest('a.b')).toEqual([
      401,
      'PGRST301',
      expect.stringContaining('Expected 3 parts in JWT; got 2'),
    ])
    expect(await sendRequest(await server.token({ role: 'nobody' }))).toEqual([401, '22023', 'Bearer'])
    expect(await sendRequest(await server.token({ role: 'postgres' }))).toEqual([403, '42501', null])
  })
})

describe('settings', () => {
  it('provide the request to the database', async () => {
    const { json } = await server.request('/rpc/settings?', {
      claims: bea,
      headers: { 'X-Custom': `it's "quoted"`, Cookie: 'a=1; b=two' },
    })
    expect(json).toMatchObject({
      method: 'GET',
      path: '/rpc/settings',
      cookies: { a: '1', b: 'two' },
      claims: { role: 'authenticated', sub: 'bea' },
      read_only: 'on',
    })
    const { headers, search_path: path } = json as { headers: Record<string, string>; search_path: string }
    expect(headers['x-custom']).toBe(`it's "quoted"`)
    expect(headers.cookie).toBeUndefined()
    expect(path).toBe('"public", "public", "extensions"')
  })

  it('accept a timezone and refuse an invalid one', async () => {
    const { json, headers } = await server.request('/rpc/settings', {
      headers: { Prefer: 'timezone=Europe/Vienna' },
    })
    expect([json, headers.get('Preference-Applied')]).toMatchObject([
      { timezone: 'Europe/Vienna' },
      'timezone=Europe/Vienna',
    ])
    expect(await server.request('/rpc/settings', { headers: { Prefer: 'timezone=Nowhere' } })).toMatchObject({
      status: 400,
    })
  })

  it('apply the statement timeout of the role', async () => {
    expect(await server.request('/rpc/slow?seconds=10')).toMatchObject({
      status: 500,
      json: { code: '57014' },
    })
  })

  it('refuse unknown preferences only with handling=strict', async () => {
    expect(
      await server.request('/tasks', { headers: { Prefer: 'handling=strict, foo, count=some' } }),
    ).toMatchObject({
      status: 400,
      json: { code: 'PGRST122', details: 'Invalid preferences: foo, count=some' },
    })
    const lenient = await server.request('/tasks', { headers: { Prefer: 'handling=lenient, foo' } })
    expect([lenient.status, lenient.headers.get('Preference-Applied')]).toEqual([200, 'handling=lenient'])
  })
})

describe('schemas', () => {
  it('are selected by profile, if exposed', async () => {
    const things = await server.request('/things', { headers: { 'Accept-Profile': 'other' } })
    expect([things.json, things.headers.get('Content-Profile')]).toEqual([
      [{ id: 1, name: 'elsewhere' }],
      'other',
    ])
    expect(await server.request('/things')).toMatchObject({ status: 404, json: { code: 'PGRST205' } })
    expect(await server.request('/things', { headers: { 'Accept-Profile': 'hidden' } })).toMatchObject({
      status: 406,
      json: {
        code: 'PGRST106',
        message: 'Invalid schema: hidden',
        hint: 'Only the following schemas are exposed: public, other',
      },
    })
    const written = await server.request('/things', {
      method: 'POST',
      body: { id: 2, name: 'n' },
      headers: { 'Content-Profile': 'other' },
    })
    expect(written.status).toBe(201)
    const client = await server.client(undefined, 'other')
    expect((await client.from('things').select('id').eq('id', 2)).data).toEqual([{ id: 2 }])
  })

  it('are reloaded when the database changes', async () => {
    expect((await server.request('/later')).status).toBe(404)
    await server.owner.query('create table later (id int primary key); grant select on later to anon')
    await expect.poll(async () => (await server.request('/later')).status).toBe(200)
    await server.owner.query('alter table later add column word text')
    await expect.poll(async () => (await server.request('/later?select=word')).status).toBe(200)
    await server.owner.query('drop table later')
    await expect.poll(async () => (await server.request('/later')).status).toBe(404)
    await server.owner.query(`notify pgrst, 'reload schema'`)
  })

  it('can change the type of a column in a prepared statement', async () => {
    await server.owner.query(
      `create table typed (v int); insert into typed values (1); grant select on typed to anon`,
    )
    const sendRequest = async (): Promise<unknown> => (await server.request('/typed?v=eq.1')).json
    await expect.poll(sendRequest).toEqual([{ v: 1 }])
    // Enough requests for every connection to prepare it.
    for (let i = 0; i < 6; i++) expect(await sendRequest()).toEqual([{ v: 1 }])
    await server.owner.query('alter table typed alter v type text')
    await expect.poll(sendRequest).toEqual([{ v: '1' }])
    for (let i = 0; i < 6; i++) expect(await sendRequest()).toEqual([{ v: '1' }])
  })

  it('are reloaded after the listener reconnects', async () => {
    await server.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rest listener'`,
    )
    await server.owner.query('create table after_loss (id int); grant select on after_loss to anon')
    await expect.poll(async () => (await server.request('/after_loss')).status).toBe(200)
  })

  it('suggest only accessible tables', async () => {
    const hint = async (path: string, headers = {}): Promise<unknown> =>
      ((await server.request(path, { headers })).json as { hint: unknown }).hint
    expect(await hint('/task')).toBe("Perhaps you meant the table 'public.tasks'")
    expect(await hint('/secret')).toBeNull()
    expect(await hint('/secret', { apikey: 'service' })).toBe("Perhaps you meant the table 'public.secrets'")
  })
})

describe('the database', () => {
  it('is reported as unavailable before the first load of the schema', async () => {
    const away = { host: '/nowhere', user: 'authenticator', database: 'postgres' }
    const rest = createRestService({
      pool: createPool(away, { max: 1, name: 'away' }),
      listen: away,
      verifyToken: () => Promise.reject(new Error('not asked')),
      settings: restSettings(loadConfig('/nowhere')),
      log: createLogger({ format: 'text', minLevel: 'error', write: () => {} }),
    })
    const gateway = new Hono<ServiceEnv>()
    gateway.use(async (c, next) => {
      c.set('apiCaller', { role: 'anon', claims: {}, claimsJson: '{}' })
      c.set('bearer', null)
      await next()
    })
    gateway.route('/rest/v1', rest.app)
    const response = await gateway.request('/rest/v1/tasks')
    expect([response.status, response.headers.get('Retry-After'), await response.json()]).toMatchObject([
      503,
      '1',
      { code: 'PGRST002' },
    ])
    await rest.close()
  })
})

describe('routes', () => {
  it('refuses unknown paths', async () => {
    expect(await server.request('/a/b')).toMatchObject({ status: 404, json: { code: 'PGRST125' } })
    expect(await server.request('/rpc/a/b')).toMatchObject({ status: 404, json: { code: 'PGRST125' } })
    expect(await server.request('/%E0%A4%A')).toMatchObject({ status: 404, json: { code: 'PGRST125' } })
    expect(await server.request('/tasks', { method: 'PROPFIND' })).toMatchObject({
      status: 405,
      json: { code: 'PGRST117' },
    })
  })

  it('lists the allowed methods of a resource', async () => {
    const allow = async (path: string): Promise<string | null> =>
      (await server.request(path, { method: 'OPTIONS' })).headers.get('Allow')
    expect(await allow('/items')).toBe('OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE')
    expect(await allow('/rpc/add?a=1')).toBe('OPTIONS,GET,HEAD,POST')
    expect(await allow('/rpc/add_item?name=x')).toBe('OPTIONS,POST')
    expect(await allow('/')).toBe('OPTIONS,GET,HEAD')
  })

  it('refuses a body that is too large', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(11 * 1024 * 1024) })
    expect(await server.request('/items', { method: 'POST', body })).toMatchObject({
      status: 413,
      json: { code: 'PGRST102' },
    })
  })
})

describe('the pool', () => {
  it('recovers when the server ends its connections', async () => {
    await server.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator'`,
    )
    await expect.poll(async () => (await server.request('/tasks')).status).toBe(200)
    expect(server.logged).toEqual([])
  })
})
