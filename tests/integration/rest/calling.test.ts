import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RequestOptions, RestServer, RestResponse } from './startRest.ts'

/** Functions for all kinds of calls. */
const schema = `
create function size_of(bytea) returns int language sql immutable as 'select length($1)';
create function echo_bytes(bytea) returns bytea language sql immutable as 'select $1';
create function echo_xml(xml) returns xml language sql immutable as 'select $1';
create function echo_jsonb(jsonb) returns jsonb language sql immutable as 'select $1';
create function either(json) returns text language sql immutable as $$ select 'json' $$;
create function either(jsonb) returns text language sql immutable as $$ select 'jsonb' $$;
create function mixed() returns text language sql immutable as $$ select 'nothing' $$;
create function mixed(x int, y int) returns text language sql immutable as $$ select 'two' $$;
create function mixed(json) returns text language sql immutable as $$ select 'json' $$;
create function mixed(text) returns text language sql immutable as $$ select 'text' $$;
create function mixed(bytea) returns text language sql immutable as $$ select 'bytes' $$;
create function unnamed(int) returns int language sql immutable as 'select $1';
create function whole_default(json default '{"own": true}') returns json language sql immutable as 'select $1';
create function kind_of(arg json) returns text language sql immutable as 'select json_typeof(arg)';
create function gathered(variadic rest int[] default '{}') returns json language sql immutable as
  'select to_json(rest)';
create function lengths(b bit, c char, bs bit[], cs char[]) returns json language sql immutable as
  'select json_build_array(b, c, bs, cs)';
create function three(a int default 1, b int default 2, c int default 3) returns int[] language sql immutable as
  'select array[a, b, c]';
create function "Grüß „x""y" ("näm é" text, "a,b""c" int default 0, "select" text default '-') returns text language sql immutable as
  'select concat_ws($$/$$, "näm é", "a,b""c", "select")';
create function below(id int) returns setof projects language sql stable as 'select p.* from projects p where p.id < below.id';
create function my_notes() returns setof notes language sql stable as 'select * from notes';
create function all_notes() returns setof notes language sql stable security definer set search_path = '' as 'select * from public.notes';
create function says_stable() returns void language plpgsql stable as $$ begin perform public.adds_someone(); end $$;
create function adds_someone() returns void language sql as $$ insert into public.people (id, name) values (99, 'x') $$;
create function raises_stable() returns void language plpgsql stable as $$ begin raise exception 'looked at'; end $$;
create procedure proceed() language sql as '';
create function triggered() returns trigger language plpgsql as 'begin return new; end';
create function extensions.elsewhere() returns int language sql immutable as 'select 1';
create function "a mood"(mood mood default 'ok', moods mood[] default '{sad}') returns json language sql immutable as
  'select json_build_array(mood, moods)';
grant execute on all functions in schema public, extensions to anon, authenticated;
`

let server: RestServer
beforeAll(async () => {
  server = await startRest(fixture + schema)
})
afterAll(() => server?.stop())

const post = (path: string, body: unknown, more: RequestOptions = {}): Promise<RestResponse> =>
  server.request(`/rpc/${path}`, { method: 'POST', body, ...more })
const get = async (path: string): Promise<unknown> => (await server.request(`/rpc/${path}`)).json

describe('arguments', () => {
  it('are named, from the query or the body, without those that have defaults', async () => {
    expect(await get('add?a=1&b=2')).toBe(3)
    expect(await get('add?a=1')).toBe(11)
    expect((await post('add', { a: 1, b: 2 })).json).toBe(3)
    expect((await post('add', { a: 1 })).json).toBe(11)
    expect((await post('add', [{ a: 1 }, { a: 2 }])).json).toBe(11)
    expect((await post('add?columns=a', { a: 1, b: 5 })).json).toBe(11)
    const form = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
    expect((await post('add', 'a=1&b=2', form)).json).toBe(3)
  })

  it('can be variadic', async () => {
    expect(await get('joined?words=a&words=b,c')).toBe('a-b,c')
    expect((await post('joined', { words: ['x', 'y'] })).json).toBe('x-y')
  })

  it('can be the whole body', async () => {
    expect((await post('echo_json', { a: [1, { b: null }] })).json).toEqual({ a: [1, { b: null }] })
    expect((await post('echo_text', 'a "text"', { headers: { 'Content-Type': 'text/plain' } })).json).toBe(
      'a "text"',
    )
  })

  it('select the overload', async () => {
    expect((await post('over', { a: 1 })).json).toBe('int')
    expect((await post('over', { a: 1, b: 'x' })).json).toBe('int and text')
    expect(await post('twice', { a: 1 })).toMatchObject({
      status: 300,
      json: {
        code: 'PGRST203',
        message:
          'Could not choose the best candidate function between: public.twice(a => integer), public.twice(a => text)',
      },
    })
  })

  it('must match', async () => {
    expect(await post('add', { a: 1, c: 2 })).toMatchObject({
      status: 404,
      json: {
        code: 'PGRST202',
        message: 'Could not find the function public.add(a, c) in the schema cache',
        details:
          'Searched for the function public.add with parameters a, c or with a single unnamed json/jsonb parameter, ' +
          'but no matches were found in the schema cache.',
        hint: 'Perhaps you meant to call the function public.add(a, b)',
      },
    })
    expect(await server.request('/rpc/whoam')).toMatchObject({
      status: 404,
      json: { code: 'PGRST202', hint: 'Perhaps you meant to call the function public.whoami' },
    })
    expect(await post('add', { a: 'x' })).toMatchObject({ status: 400, json: { code: '22P02' } })
    expect(await post('teapot', { a: 1 })).toMatchObject({ status: 404, json: { code: 'PGRST202' } })
  })

  it('in a form are parsed like a query string, not like JSON', async () => {
    const form = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
    expect((await post('gathered', '', form)).json).toEqual([])
    expect((await post('gathered', 'rest=1', form)).json).toEqual([1])
    expect((await post('gathered', 'rest=1&rest=2', form)).json).toEqual([1, 2])
    expect((await post('kind_of', 'arg={"a":1}', form)).json).toBe('object')
    expect((await post('kind_of', { arg: '{"a":1}' })).json).toBe('string')
    expect((await post('below?name=eq.Barn&select=id', 'id=9', form)).json).toEqual([{ id: 2 }])
  })

  it('can be CSV, of which the first row counts', async () => {
    const csv = { headers: { 'Content-Type': 'text/csv' } }
    expect((await post('add', 'a,b\n1,2\n3,4', csv)).json).toBe(3)
    expect(await post('mixed', 'a,b\n1,2', csv)).toMatchObject({ status: 404, json: { code: 'PGRST202' } })
  })

  it('can be repeated or absent, by name', async () => {
    expect(await get('gathered')).toEqual([])
    expect(await get('gathered?rest=1&rest=2')).toEqual([1, 2])
    expect((await post('gathered', { rest: [3, 4] })).json).toEqual([3, 4])
    expect(await get('three?c=9')).toEqual([1, 2, 9])
    expect(await get('add?a=7&a=1')).toBe(11)
  })

  it('can have any names', async () => {
    const name = encodeURIComponent('Grüß „x"y')
    expect((await post(name, { 'näm é': 'ü', 'a,b"c': 5, select: 's' })).json).toBe('ü/5/s')
    const quoted = encodeURIComponent('"a,b\\"c"')
    expect(await get(`${name}?${encodeURIComponent('näm é')}=%C3%BC&${quoted}=6`)).toBe('ü/6/-')
    expect((await post(encodeURIComponent('a mood'), { moods: ['happy'] })).json).toEqual(['ok', ['happy']])
    expect(await get('a%20mood?mood=sad&moods={ok,sad}')).toEqual(['sad', ['ok', 'sad']])
  })

  it('are not filters, even of the same name', async () => {
    expect(await get('below?id=4&id=gt.1&select=id')).toEqual([{ id: 2 }, { id: 3 }])
    expect(await get('echo?name=eq.x')).toMatchObject({ code: 'PGRST202' })
    expect(await server.request('/rpc/add?a=1', { method: 'POST', body: { a: 1 } })).toMatchObject({
      status: 400,
      json: { code: 'PGRST100' },
    })
  })

  it('can have any length', async () => {
    const expected = ['10101', 'abc', ['1', '101'], ['abc', 'd']]
    expect(await get('lengths?b=10101&c=abc&bs={1,101}&cs={abc,d}')).toEqual(expected)
    const json = { b: '10101', c: 'abc', bs: ['1', '101'], cs: ['abc', 'd'] }
    expect((await post('lengths', json)).json).toEqual(expected)
  })
})

describe('a whole body', () => {
  const typed = (type: string): RequestOptions => ({ headers: { 'Content-Type': type } })
  const octets = typed('application/octet-stream')
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)

  it('is passed to the function unchanged', async () => {
    expect((await post('size_of', bytes, octets)).json).toBe(256)
    expect((await post('echo_bytes', bytes, octets)).json).toBe(`\\x${Buffer.from(bytes).toString('hex')}`)
    expect((await post('size_of', '', octets)).json).toBe(0)
    expect((await post('echo_text', ' "ü\n', typed('text/plain;charset=utf-8'))).json).toBe(' "ü\n')
    expect((await post('echo_xml', '<a>ü</a>', typed('text/xml'))).json).toBe('<a>ü</a>')
    expect((await post('echo_json', '{ "a": 1.10, "a": 2 }')).text).toBe('{ "a": 1.10, "a": 2 }')
    expect((await post('echo_jsonb', '[{"a": 1.10}]')).text).toBe('[{"a": 1.10}]')
  })

  it('that is invalid is refused by PostgreSQL', async () => {
    const broken = Buffer.from('\xff', 'latin1')
    expect(await post('echo_text', broken, typed('text/plain'))).toMatchObject({ json: { code: '22021' } })
    expect(await post('echo_xml', '<a', typed('text/xml'))).toMatchObject({ json: { code: '2200N' } })
    expect(await post('echo_json', '{')).toMatchObject({ status: 400, json: { code: 'PGRST102' } })
  })

  it('is used if no argument names match', async () => {
    expect((await post('mixed', {})).json).toBe('nothing')
    expect((await post('mixed', '')).json).toBe('nothing')
    expect((await post('mixed', { x: 1, y: 2 })).json).toBe('two')
    expect((await post('mixed', { a: 1 })).json).toBe('json')
    expect((await post('mixed', '', typed('text/plain'))).json).toBe('text')
    expect((await post('mixed', bytes, octets)).json).toBe('bytes')
    expect((await server.request('/rpc/mixed', typed('text/plain'))).json).toBe('nothing')
    expect(await post('either', { a: 1 })).toMatchObject({
      status: 300,
      json: {
        code: 'PGRST203',
        message:
          'Could not choose the best candidate function between: public.either( => json), public.either( => jsonb)',
      },
    })
  })

  it('can have a default', async () => {
    expect(await get('whole_default')).toEqual({ own: true })
    expect((await post('whole_default', '', typed('application/x-www-form-urlencoded'))).json).toEqual({
      own: true,
    })
    expect((await post('whole_default', { a: 1 })).json).toEqual({ a: 1 })
  })

  it('requires a function that takes it', async () => {
    const details = (response: RestResponse): unknown => (response.json as { details: string }).details
    expect(await post('unnamed', 'x', octets)).toMatchObject({
      status: 404,
      json: {
        code: 'PGRST202',
        message: 'Could not find the function public.unnamed in the schema cache',
        hint: null,
      },
    })
    expect(details(await post('unnamed', 'x', octets))).toMatch('a single unnamed bytea parameter')
    expect(details(await post('unnamed', 'x', typed('text/plain')))).toMatch(
      'a single unnamed text parameter',
    )
    expect(details(await post('unnamed', 'x', typed('text/xml')))).toMatch('a single unnamed xml parameter')
    expect(details(await post('unnamed', { a: 1 }))).toMatch(
      'parameter a or with a single unnamed json/jsonb',
    )
    expect(await post('echo_text', 'x', typed('text/html'))).toMatchObject({
      status: 400,
      json: { code: 'PGRST102', message: 'Content-Type not acceptable: text/html' },
    })
  })
})

describe('rules', () => {
  it('allows only functions of the exposed schemas', async () => {
    for (const name of ['proceed', 'triggered', 'elsewhere', 'count', 'now']) {
      expect([name, await post(name, {})]).toMatchObject([name, { status: 404, json: { code: 'PGRST202' } }])
    }
  })

  it('enforces the volatility of functions', async () => {
    expect(await post('says_stable', {})).toMatchObject({ status: 405, json: { code: '25006' } })
    expect(await post('raises_stable', {})).toMatchObject({ status: 400, json: { code: 'P0001' } })
    expect((await server.request('/rpc/raises_stable', { method: 'HEAD' })).status).toBe(400)
    expect((await server.request('/rpc/add_item?name=x', { method: 'HEAD' })).status).toBe(405)
    expect((await post('settings', {})).json).toMatchObject({ read_only: 'on' })
  })

  it('runs as the caller, or as the owner for SECURITY DEFINER', async () => {
    const claims = { role: 'authenticated', name: 'Bea' }
    const owners = async (path: string): Promise<unknown> =>
      ((await server.request(`/rpc/${path}`, { claims })).json as { owner: string }[]).map(
        ({ owner }) => owner,
      )
    expect(await owners('my_notes')).toEqual(['Bea'])
    expect(await owners('all_notes?order=owner')).toEqual(['Ann', 'Bea'])
  })

  it('uses a read-only transaction for GET, and for functions that are not volatile', async () => {
    expect(await server.request('/rpc/add_item?name=x')).toMatchObject({
      status: 405,
      json: { code: '25006' },
    })
    expect(await post('add_item', { name: 'x' })).toMatchObject({ status: 200, json: { name: 'x' } })
    expect((await get('settings')) as object).toMatchObject({ read_only: 'on' })
    expect(await server.request('/rpc/add', { method: 'DELETE' })).toMatchObject({
      status: 405,
      json: { code: 'PGRST101' },
    })
  })

  it('rolls back a call that affects too many rows', async () => {
    await server.owner.query(`truncate items restart identity; insert into items (name) values ('a'), ('b')`)
    const strict = { headers: { Prefer: 'handling=strict, max-affected=1' } }
    expect(await post('remove_items', { lowest: 1 }, strict)).toMatchObject({
      status: 400,
      json: { code: 'PGRST124' },
    })
    expect((await server.owner.query('select from items')).rowCount).toBe(2)
    expect(await post('remove_items', { lowest: 2 }, strict)).toMatchObject({ status: 200 })
    expect(await post('add_item', { name: 'x' }, strict)).toMatchObject({
      status: 400,
      json: { code: 'PGRST128' },
    })
  })

  it('allows functions to set status and headers', async () => {
    const { status, headers } = await post('teapot', {})
    expect([status, headers.get('X-Tea'), headers.get('Cache-Control')]).toEqual([418, 'green', 'no-store'])
    expect(await post('bad_status', {})).toMatchObject({ status: 500, json: { code: 'PGRST112' } })
    expect(await post('bad_headers', {})).toMatchObject({ status: 500, json: { code: 'PGRST111' } })
  })

  it.each([
    ['P0001', 400],
    ['PT402', 402],
    ['PT999', 500],
    ['23505', 409],
    ['23503', 409],
    ['42501', 401],
    ['42883', 404],
    ['42P01', 404],
    ['42P17', 500],
    ['25006', 405],
    ['21000', 500],
    ['40001', 500],
    ['53300', 503],
    ['53400', 500],
    ['57014', 500],
    ['08006', 503],
    ['54001', 500],
    ['55P03', 500],
    ['28000', 403],
    ['0LP01', 403],
    ['XX000', 500],
    ['P0002', 500],
    ['22023', 400],
    ['ABCDE', 400],
  ])('responds to SQLSTATE %s with %i', async (state, status) => {
    const response = await post('raises', { state, message: 'text', more: 'more', advice: 'advice' })
    expect(response).toMatchObject({
      status,
      json: { code: state, message: 'text', details: 'more', hint: 'advice' },
    })
    expect(response.headers.get('Proxy-Status')).toBe(`PostgREST; error=${state}`)
  })

  it('responds to a missing privilege with 403 for signed-in users', async () => {
    const claims = { role: 'authenticated', sub: 'bea' }
    expect(await post('raises', { state: '42501', message: 'no' }, { claims })).toMatchObject({ status: 403 })
    expect(await server.request('/secrets', { claims })).toMatchObject({
      status: 403,
      json: { code: '42501' },
    })
    const anonymous = await server.request('/secrets')
    expect([anonymous.status, anonymous.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer'])
  })

  it('sends no body with a status that has none', async () => {
    expect(await post('raises', { state: 'PT204', message: 'x' })).toMatchObject({ status: 204, text: '' })
    expect(await post('raises', { state: 'PT304', message: 'x' })).toMatchObject({ status: 304, text: '' })
    const more = JSON.stringify({ status: 205, headers: {} })
    expect(await post('raises_pgrst', { message: '{"code":"x","message":"y"}', more })).toMatchObject({
      status: 205,
      text: '',
    })
  })

  it('allows SQL to define the whole error', async () => {
    const error = JSON.stringify({ code: 'TEA', message: 'Tea is over', hint: 'Coffee', details: null })
    const more = JSON.stringify({ status: 410, headers: { 'X-Tea': 'none' } })
    const response = await post('raises_pgrst', { message: error, more })
    expect(response).toMatchObject({
      status: 410,
      json: { code: 'TEA', message: 'Tea is over', hint: 'Coffee', details: null },
    })
    expect(response.headers.get('X-Tea')).toBe('none')
    for (const wrong of [
      { message: 'x', more },
      { message: error, more: 'x' },
      { message: error },
      { message: error, more: '{"status":410,"headers":{"a\\r":"b"}}' },
    ]) {
      expect(await post('raises_pgrst', wrong)).toMatchObject({ status: 500, json: { code: 'PGRST121' } })
    }
  })
})
