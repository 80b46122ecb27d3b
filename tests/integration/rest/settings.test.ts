import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startRest } from './startRest.ts'
import type { RestServer, RestResponse } from './startRest.ts'

const schema = `
create table birds (id int primary key, name text not null);
insert into birds values (1, 'linnet'), (2, 'wren'), (3, 'kite');
create schema other;
create table other.trees (id int primary key);
create function setting(name text) returns text language sql stable as $$ select current_setting(name, true) $$;
create function careful() returns text language sql stable set default_transaction_isolation = 'serializable'
  as $$ select current_setting('transaction_isolation') $$;
create function plain() returns text language sql volatile as $$ select current_setting('transaction_isolation') $$;
create function hasty() returns void language plpgsql set statement_timeout = '30ms' as $$ begin perform pg_sleep(30); end $$;
create type room as (id int);
create function around(room) returns text language sql stable as $$
  select current_setting('work_mem') || ', ' || current_setting('statement_timeout') $$;
create function rooms() returns setof room language plpgsql stable rows 1 set work_mem = '3000kB' set statement_timeout = '7s'
  as $$ begin return query select 1; end $$;
create function before() returns void language sql as $$ select set_config('response.headers', '[{"X-Before": "yes"}]', true) $$;
create function configure() returns void language sql as $$
  select set_config('pgrst.db_max_rows', '1', true), set_config('pgrst.db_plan_enabled', 'true', true) $$;
create function fail() returns void language plpgsql as $$ begin raise exception 'no configuration today'; end $$;
create role careful nologin;
grant careful to authenticator;
alter role careful set default_transaction_isolation = 'repeatable read';
grant usage on schema public, other to anon, authenticated, service_role, careful;
grant all on all tables in schema public, other to anon, authenticated, service_role, careful;
`

let server: RestServer
beforeAll(async () => {
  server = await startRest(schema)
})
afterAll(() => server?.stop())

const faultsNow = (): string[] => server.noted.filter((line) => line.includes('rest.setting_ignored'))

/** Resets all settings of the login role except its timeouts. */
const resetAll = `do $$
declare name text;
begin
  for name in
    select distinct split_part(pair, '=', 1) from pg_db_role_setting, unnest(setconfig) as pair where pair like 'pgrst.%'
  loop
    execute format('alter role authenticator reset %s', name);
    execute format('alter role authenticator in database postgres reset %s', name);
  end loop;
end $$`

describe('settings in the database', () => {
  /** Runs SQL like an administrator, then waits for `seen`. */
  const alter = async (sql: string): Promise<void> => {
    await server.owner.query(`${sql}; notify pgrst, 'reload config'`)
  }
  const expectEventually = async (
    path: string,
    seen: (response: RestResponse) => unknown,
    value: unknown,
    o = {},
  ): Promise<void> => {
    await expect.poll(async () => seen(await server.request(path, o))).toEqual(value)
  }
  const rows = ({ json }: RestResponse): number => (json as unknown[]).length
  afterEach(async () => {
    await alter(resetAll)
    await expectEventually('/birds', rows, 3)
    const errorKeys = ({ json }: RestResponse): number => Object.keys(json as object).length
    await expectEventually('/nothing', errorKeys, 4)
    server.noted.length = 0
  })

  it('override config.toml after a notification', async () => {
    await alter(`alter role authenticator set pgrst.db_max_rows = '2'`)
    await expectEventually('/birds', rows, 2)
    // The setting for this database overrides that for all.
    await alter(`alter role authenticator in database postgres set pgrst.db_max_rows = '1'`)
    await expectEventually('/birds', rows, 1)
    await alter(`alter role authenticator in database postgres reset pgrst.db_max_rows`)
    await expectEventually('/birds', rows, 2)
  })

  it('can come from a function, overridden by those of the role', async () => {
    await alter(`alter role authenticator set pgrst.db_pre_config = 'public.configure'`)
    await expectEventually('/birds', rows, 1)
    await expectEventually('/birds', ({ status }) => status, 200, {
      headers: { Accept: 'application/vnd.pgrst.plan' },
    })
    await alter(`alter role authenticator set pgrst.db_max_rows = '2'`)
    await expectEventually('/birds', rows, 2)
  })

  it('keep their values if the function fails, which is logged', async () => {
    await alter(`alter role authenticator set pgrst.db_max_rows = '2'`)
    await expectEventually('/birds', rows, 2)
    await alter(`alter role authenticator set pgrst.db_pre_config = 'fail'`)
    await expect.poll(faultsNow).toEqual([expect.stringContaining('no configuration today')])
    expect((await server.request('/birds')).json).toHaveLength(2)
  })

  it('keep their values if they are invalid, which is logged', async () => {
    await alter(`alter role authenticator set pgrst.db_max_rows = '2'`)
    await expectEventually('/birds', rows, 2)
    await alter(`
      alter role authenticator set pgrst.db_max_rows = 'many';
      alter role authenticator set pgrst.db_tx_end = 'never';
      alter role authenticator set pgrst.db_schemas = 'public, pg_catalog';
      alter role authenticator set pgrst.jwt_secret = 'not here'`)
    await expect.poll(() => faultsNow().length).toBe(4)
    for (const name of ['db_max_rows', 'db_tx_end', 'db_schemas', 'jwt_secret']) {
      expect(faultsNow().filter((line) => line.includes(`pgrst.${name}`))).toHaveLength(1)
    }
    expect((await server.request('/birds')).json).toHaveLength(2)
    expect(server.logged).toEqual([])
  })

  it('include schemas, the search path, the pre-request function and the error verbosity', async () => {
    await alter(`
      alter role authenticator set pgrst.db_schemas = 'other';
      alter role authenticator set pgrst.client_error_verbosity = 'minimal'`)
    await expectEventually('/trees', ({ status }) => status, 200)
    expect(await server.request('/trees', { headers: { 'Accept-Profile': 'public' } })).toMatchObject({
      status: 406,
    })
    expect(Object.keys((await server.request('/tree')).json as object)).toEqual(['code', 'message'])
    await alter(`
      alter role authenticator reset pgrst.db_schemas;
      alter role authenticator set pgrst.db_extra_search_path = 'other';
      alter role authenticator set pgrst.db_pre_request = 'public.before';
      alter role authenticator set pgrst.server_trace_header = 'X-Request-Id'`)
    await expectEventually('/rpc/setting?name=search_path', ({ json }) => json, '"public", "other"')
    const { headers } = await server.request('/birds', { headers: { 'X-Request-Id': '42' } })
    expect([headers.get('X-Before'), headers.get('X-Request-Id')]).toEqual(['yes', '42'])
    // Also for 404.
    expect(
      (await server.request('/nothing', { headers: { 'X-Request-Id': '43' } })).headers.get('X-Request-Id'),
    ).toBe('43')
  })

  it('renew connections, so that limits of the login role apply', async () => {
    const limit = '/rpc/setting?name=statement_timeout'
    const service = { headers: { apikey: 'service' } }
    await expectEventually(limit, ({ json }) => json, '8s', service)
    await alter(`alter role authenticator set statement_timeout = '9s'`)
    await expectEventually(limit, ({ json }) => json, '9s', service)
    await alter(`alter role authenticator set statement_timeout = '8s'`)
    await expectEventually(limit, ({ json }) => json, '8s', service)
  })
})

describe('a transaction', () => {
  const level = async (path: string, o = {}): Promise<unknown> => (await server.request(path, o)).json
  const careful = { claims: { role: 'careful' } }

  it('has the isolation level of its function, else of its role', async () => {
    expect(await level('/rpc/plain', { method: 'POST' })).toBe('read committed')
    expect(await level('/rpc/careful')).toBe('serializable')
    expect(await level('/rpc/careful', { method: 'POST' })).toBe('serializable')
    expect(await level('/rpc/setting?name=transaction_isolation', careful)).toBe('repeatable read')
    expect(await level('/rpc/plain', { method: 'POST', ...careful })).toBe('repeatable read')
    expect(await level('/rpc/careful', careful)).toBe('serializable')
  })

  it('has the limits of its function before it starts', async () => {
    const response = await server.request('/rpc/hasty', { method: 'POST' })
    expect([response.status, response.headers.get('Proxy-Status'), response.json]).toEqual([
      500,
      'PostgREST; error=57014',
      { code: '57014', details: null, hint: null, message: 'canceling statement due to statement timeout' },
    ])
  })

  it('applies only the hoisted settings of a function', async () => {
    // Its own settings always apply inside of it; the other columns show those of the transaction.
    const seen = async (sendRequest: RestServer['request']): Promise<unknown> =>
      (await sendRequest('/rpc/rooms?select=id,around')).json
    expect(await seen(server.request)).toEqual([{ id: 1, around: '4MB, 7s' }])
    const other = await server.beside({ hoistedTxSettings: ['work_mem'] })
    expect(await seen(other)).toEqual([{ id: 1, around: '3000kB, 3s' }])
  })

  it('is read-only for reading methods', async () => {
    const readOnly = async (method: string): Promise<unknown> => {
      const body = method === 'POST' ? { body: { name: 'transaction_read_only' } } : {}
      return (
        await server.request(`/rpc/setting${method === 'POST' ? '' : '?name=transaction_read_only'}`, {
          method,
          ...body,
        })
      ).json
    }
    expect(await readOnly('GET')).toBe('on')
    // With POST a function that is not volatile cannot write either.
    expect(await readOnly('POST')).toBe('on')
  })
})

describe('headers of a request', () => {
  it('select a schema with a Unicode name, which the response contains', async () => {
    await server.owner.query(`create schema "Bäume"; create table "Bäume".leaves (id int);
      grant usage on schema "Bäume" to anon; grant all on "Bäume".leaves to anon`)
    const sendRequest = await server.beside({ schemas: ['public', 'Bäume'] })
    const bytes = Buffer.from('Bäume', 'utf8').toString('latin1')
    const { status, headers } = await sendRequest('/leaves', { headers: { 'Accept-Profile': bytes } })
    expect([status, headers.get('Content-Profile')]).toEqual([200, bytes])
  })

  it('are available in the database in lower case, with separate cookies and Unicode values', async () => {
    const raw = async (name: string, headers: Record<string, string>): Promise<Record<string, string>> =>
      JSON.parse((await server.request(`/rpc/setting?name=${name}`, { headers })).json as string) as Record<
        string,
        string
      >
    const bytes = Buffer.from('Übung', 'utf8').toString('latin1')
    const headers = await raw('request.headers', { 'X-Word': bytes, Cookie: 'a=1' })
    expect([headers['x-word'], headers.cookie]).toEqual(['Übung', undefined])
    expect(await raw('request.cookies', { Cookie: 'a=1; b="two"; c; a=3; d=x=y' })).toEqual({
      a: '3',
      b: '"two"',
      c: '',
      d: 'x=y',
    })
  })
})
