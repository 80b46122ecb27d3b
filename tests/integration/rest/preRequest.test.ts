import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

/** A pre-request function, controlled by the header `X-Do`. */
const schema = `
create table birds (id int primary key, name text not null);
insert into birds values (1, 'linnet'), (2, 'wren');
create table visits (who text, method text, path text);
create schema rules;
create function rules.before() returns void language plpgsql as $$
declare wanted text := current_setting('request.headers', true)::json ->> 'x-do';
begin
  case wanted
    when 'refuse' then raise sqlstate 'PT429' using message = 'Slow down', hint = 'Come back later';
    when 'forbid' then raise insufficient_privilege using message = 'not today';
    when 'answer' then raise sqlstate 'PGRST' using
      message = '{"code": "T1", "message": "Tea only", "details": "No coffee", "hint": null}',
      detail = '{"status": 418, "status_text": "Short and stout", "headers": {"X-Tea": "green"}}';
    when 'mumble' then raise sqlstate 'PGRST' using
      message = '{"code": "T1", "message": "Tea only", "details": ["a", "list"]}', detail = '{"status": 418, "headers": {}}';
    when 'say' then
      perform set_config('response.status', '218', true);
      perform set_config('response.headers',
        '[{"Set-Cookie": "a=1; Path=/"}, {"set-cookie": "b=2"}, {"X-Bird": "änkling"}, {"content-type": "application/custom+json"}]', true);
    when 'claim' then perform set_config('request.jwt.claims', '{"name":"Ann"}', true);
    when 'become' then set local role service_role;
    when 'write' then insert into visits values (
      current_user, current_setting('request.method', true), current_setting('request.path', true));
    when 'writeAndRefuse' then
      insert into visits values ('nobody', '', '');
      raise sqlstate 'PT429' using message = 'Slow down';
    else null;
  end case;
end $$;
create function whoami() returns json language sql stable as $$
  select json_build_object('role', current_user, 'claims', current_setting('request.jwt.claims', true)::json) $$;
grant usage on schema public, rules to anon, authenticated, service_role;
grant all on all tables in schema public to anon, authenticated, service_role;
`

let server: RestServer
beforeAll(async () => {
  server = await startRest(schema, { settings: { preRequest: { schema: 'rules', name: 'before' } } })
})
afterAll(() => server?.stop())

const saying = (wanted: string): { headers: Record<string, string> } => ({ headers: { 'X-Do': wanted } })

describe('the pre-request function', () => {
  it('can refuse the request with its own status and message', async () => {
    for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE']) {
      const response = await server.request('/birds?id=eq.1', {
        method,
        ...saying('refuse'),
        ...(method === 'PATCH' && { body: {} }),
      })
      expect([method, response.status]).toEqual([method, 429])
    }
    expect(await server.request('/birds', saying('refuse'))).toMatchObject({
      json: { code: 'PT429', message: 'Slow down', details: null, hint: 'Come back later' },
    })
    expect(await server.request('/birds', saying('forbid'))).toMatchObject({
      status: 401,
      json: { code: '42501' },
    })
    expect(await server.request('/', saying('refuse'))).toMatchObject({ status: 429 })
  })

  it('can define the whole error, including the reason phrase', async () => {
    const raw = async (wanted: string): Promise<Response> =>
      fetch(`${server.url}/birds`, { headers: { 'X-Do': wanted } })
    expect((await raw('refuse')).statusText).toBe('Slow down')
    const response = await raw('answer')
    expect([
      response.status,
      response.statusText,
      response.headers.get('X-Tea'),
      response.headers.get('Proxy-Status'),
    ]).toEqual([418, 'Short and stout', 'green', 'PostgREST; error=T1'])
    expect(await response.json()).toEqual({
      code: 'T1',
      message: 'Tea only',
      details: 'No coffee',
      hint: null,
    })
    // Values of the wrong type are an error of their own.
    expect(await server.request('/birds', saying('mumble'))).toMatchObject({
      status: 500,
      json: { code: 'PGRST121' },
    })
  })

  it('can set status and headers of every response, also repeated headers', async () => {
    const cases: [string, object][] = [
      ['/birds?id=eq.1', {}],
      ['/birds?id=eq.1', { method: 'HEAD' }],
      ['/birds', { method: 'POST', body: { id: 11, name: 'kite' } }],
      ['/birds?id=eq.12', { method: 'PUT', body: { id: 12, name: 'kite' } }],
      ['/birds?id=eq.11', { method: 'PATCH', body: { name: 'rook' } }],
      ['/birds?id=gt.10', { method: 'DELETE' }],
      ['/rpc/whoami', { method: 'POST', body: {} }],
    ]
    for (const [path, o] of cases) {
      const { status, headers } = await server.request(path, { ...o, ...saying('say') })
      expect(status).toBe(218)
      expect(headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2'])
      expect(headers.get('content-type')).toBe('application/custom+json')
      expect(Buffer.from(headers.get('x-bird')!, 'latin1').toString('utf8')).toBe('änkling')
    }
    const { status, headers } = await server.request('/birds?id=eq.1')
    expect([status, headers.getSetCookie()]).toEqual([200, []])
  })

  it('can change claims and role for this request only', async () => {
    const bea = { claims: { role: 'authenticated', name: 'Bea' } }
    const who = async (wanted: string): Promise<unknown> =>
      (await server.request('/rpc/whoami', { ...bea, ...saying(wanted) })).json
    expect(await who('claim')).toEqual({ role: 'authenticated', claims: { name: 'Ann' } })
    expect(await who('become')).toMatchObject({ role: 'service_role', claims: { name: 'Bea' } })
    expect(await who('nothing')).toMatchObject({ role: 'authenticated', claims: { name: 'Bea' } })
  })

  it('runs as the caller, can access the request, and can only write if the request can', async () => {
    expect(await server.request('/birds', saying('write'))).toMatchObject({
      status: 405,
      json: { code: '25006' },
    })
    expect((await server.request('/birds?id=eq.2', { method: 'DELETE', ...saying('write') })).status).toBe(
      204,
    )
    expect((await server.owner.query('select * from visits')).rows).toEqual([
      { who: 'anon', method: 'DELETE', path: '/birds' },
    ])
  })

  it('retains its changes when the request fails after it or is a dry run, and none when it refuses the request', async () => {
    await server.owner.query('truncate visits')
    const visits = async (): Promise<unknown[]> =>
      (await server.owner.query('select method from visits')).rows
    const duplicate = { method: 'POST', body: { id: 1, name: 'kite' }, ...saying('write') }
    expect(await server.request('/birds', duplicate)).toMatchObject({ status: 409 })
    expect(await visits()).toEqual([{ method: 'POST' }])
    expect(await server.request('/birds', { ...duplicate, ...saying('writeAndRefuse') })).toMatchObject({
      status: 429,
    })
    expect(await visits()).toHaveLength(1)
    const dryRun = { ...saying('write').headers, Prefer: 'tx=rollback' }
    const undone = await server.request('/birds?id=eq.1', { method: 'DELETE', headers: dryRun })
    expect(undone).toMatchObject({ status: 204 })
    expect(await visits()).toEqual([{ method: 'POST' }, { method: 'DELETE' }])
    expect(await server.request('/birds?id=eq.1')).toMatchObject({ json: [{ id: 1 }] })
    // A transaction at another isolation level has a BEGIN of its own.
    await server.owner.query(`create function fail() returns void language plpgsql
      set default_transaction_isolation = 'serializable' as $$ begin raise 'always'; end $$`)
    await server.rest.reload()
    const failed = await server.request('/rpc/fail', { method: 'POST', body: {}, ...saying('write') })
    expect(failed).toMatchObject({ status: 400, json: { message: 'always' } })
    expect(await visits()).toEqual([{ method: 'POST' }, { method: 'DELETE' }, { method: 'POST' }])
  })

  it('is an error if it does not exist', async () => {
    const sendRequest = await server.beside({ preRequest: { schema: '', name: 'missing' } })
    expect(await sendRequest('/birds')).toMatchObject({ status: 404, json: { code: '42883' } })
    // Without a schema it is found on the search path of the request.
    const request = await server.beside({ preRequest: { schema: '', name: 'whoami' } })
    expect((await request('/birds?id=eq.1')).status).toBe(200)
  })
})
