import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RequestOptions, RestServer, RestResponse } from './startRest.ts'

/** Functions with all kinds of results. */
const schema = `
create domain small as int check (value < 10);
create domain smaller as small check (value < 5);
create domain project_like as projects;
create type spot as (x int, label text);
create function a_record() returns record language sql immutable as $$ select 1 as n, 'a'::text as word $$;
create function records() returns setof record language sql immutable as $$ values (1, 'a'::text), (2, 'b') $$;
create function a_domain() returns smaller language sql immutable as 'select 4::smaller';
create function a_row_domain() returns project_like language sql stable as 'select p::project_like from projects p where id = 1';
create function an_array() returns int[] language sql immutable as 'select array[1, 2]';
create function an_enum() returns mood language sql immutable as $$ select 'ok'::mood $$;
create function a_range() returns int4range language sql immutable as $$ select '[1,3]'::int4range $$;
create function a_spot() returns spot language sql immutable as $$ select (1, 'x')::spot $$;
create function spots() returns setof spot language sql immutable as $$ values (1, 'x'), (2, null) $$;
create function a_null() returns int language sql immutable as 'select null::int';
create function no_row() returns projects language sql stable as 'select * from projects where false';
create function no_rows() returns setof projects language sql stable as 'select * from projects where false';
create function only_out(n int, out plus_one int) language sql immutable as 'select n + 1';
create function in_and_out(inout n int, out doc json) language sql immutable as 'select n + 1, json_build_object($$n$$, n)';
create function one_column() returns table (one_column int) language sql immutable as 'values (1), (2)';
create function voids() returns setof void language sql as '';
create function moods() returns setof mood language sql immutable as $$ values ('sad'::mood), ('ok') $$;
create sequence calls;
create function counts_calls() returns int language sql as $$ select nextval('public.calls')::int $$;
create function counts_calls_twice() returns table (n int) language sql as $$ values (nextval('public.calls')::int), (nextval('public.calls')::int) $$;
grant usage on sequence calls to anon;
grant execute on all functions in schema public to anon;
`

let server: RestServer
beforeAll(async () => {
  server = await startRest(fixture + schema)
})
afterAll(() => server?.stop())

const post = (path: string, body: unknown, more: RequestOptions = {}): Promise<RestResponse> =>
  server.request(`/rpc/${path}`, { method: 'POST', body, ...more })
const get = async (path: string): Promise<unknown> => (await server.request(`/rpc/${path}`)).json

describe('results', () => {
  it.each([
    ['a scalar', 'add?a=1', 11],
    ['a set of scalars', 'numbers?upto=3', [1, 2, 3]],
    ['a row', 'one_project?wanted=2&select=id,name', { id: 2, name: 'Barn' }],
    ['a set of rows', 'some_projects?select=id&id=lt.3&order=id.desc', [{ id: 2 }, { id: 1 }]],
    [
      'rows with embeds',
      'some_projects?select=name,clients(name)&id=eq.1',
      [{ name: 'Wheel', clients: { name: 'Mill' } }],
    ],
    ['a page', 'some_projects?select=id&order=id&limit=1&offset=1', [{ id: 2 }]],
    ['a table', 'as_table?select=word&n=eq.2', [{ word: 'two' }]],
    ['out parameters', 'two_outs', { x: 1, y: 'y' }],
    [
      'rows of a function joined with their own table',
      'bosses?select=name,people(name)&id=eq.2',
      [{ name: 'Bea', people: [{ name: 'Omar' }] }],
    ],
  ])('%s', async (_, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })

  it('are empty for void', async () => {
    expect(await post('nothing', {})).toMatchObject({ status: 204, text: '' })
    expect(await post('nothing', '')).toMatchObject({ status: 204, text: '' })
    const counted = await post('nothing', {}, { headers: { Prefer: 'count=exact' } })
    expect([counted.status, counted.headers.get('Content-Range')]).toEqual([204, '0-0/1'])
    expect(await get('voids')).toEqual([])
  })

  it('are counted and limited', async () => {
    const { headers, json } = await server.request('/rpc/some_projects?select=id&limit=2', {
      headers: { Prefer: 'count=exact' },
    })
    expect([headers.get('Content-Range'), (json as unknown[]).length]).toEqual(['0-1/4', 2])
    expect(await get('numbers?upto=1500')).toHaveLength(1000)
    const head = await server.request('/rpc/some_projects', {
      method: 'HEAD',
      headers: { Prefer: 'count=exact' },
    })
    expect([head.status, head.headers.get('Content-Range'), head.text]).toEqual([200, '0-3/4', ''])
  })

  it('are a single object if requested', async () => {
    const singular = { Accept: 'application/vnd.pgrst.object+json' }
    expect(
      (await server.request('/rpc/some_projects?id=eq.1&select=id', { headers: singular })).json,
    ).toEqual({
      id: 1,
    })
    expect(await server.request('/rpc/some_projects', { headers: singular })).toMatchObject({ status: 406 })
    expect(await post('remove_items', { lowest: 1 }, { headers: singular })).toMatchObject({ status: 406 })
  })

  it('work with the official client', async () => {
    const client = await server.client()
    expect((await client.rpc('add', { a: 1 })).data).toBe(11)
    expect((await client.rpc('add', { a: 1 }, { get: true })).data).toBe(11)
    expect((await client.rpc('some_projects').select('id').eq('id', 2).single()).data).toEqual({ id: 2 })
    expect((await client.rpc('some_projects', undefined, { count: 'exact', head: true })).count).toBe(4)
  })

  it.each([
    ['a_record', { n: 1, word: 'a' }],
    ['a_domain', 4],
    ['a_row_domain?select=name,clients(name)', { name: 'Wheel', clients: { name: 'Mill' } }],
    ['an_array', [1, 2]],
    ['an_enum', 'ok'],
    ['a_range', '[1,4)'],
    ['a_spot', { x: 1, label: 'x' }],
    ['a_spot?select=label', { label: 'x' }],
    ['spots?label=is.null', [{ x: 2, label: null }]],
    ['a_null', null],
    ['no_row?select=id,name', { id: null, name: null }],
    ['no_rows', []],
    ['only_out?n=1', { plus_one: 2 }],
    ['in_and_out?n=1', { n: 2, doc: { n: 1 } }],
    ['one_column?order=one_column.desc', [{ one_column: 2 }, { one_column: 1 }]],
    ['moods?limit=1&offset=1', ['ok']],
    ['numbers?upto=4&order=pgrst_scalar.desc&pgrst_scalar=gt.2', [4, 3]],
    ['some_projects?select=id&name=like.W*', [{ id: 1 }]],
    ['some_projects?select=id&or=(name.eq.Barn,name.eq.Fence)&order=name.desc', [{ id: 3 }, { id: 2 }]],
    [
      'some_projects?select=id,tasks(name)&tasks.name=eq.Draw&tasks=not.is.null',
      [{ id: 1, tasks: [{ name: 'Draw' }] }],
    ],
    [
      'some_projects?select=id,clients!inner(id)&clients.name=eq.Farm',
      [
        { id: 2, clients: { id: 2 } },
        { id: 3, clients: { id: 2 } },
      ],
    ],
    ['one_project?wanted=2&id=eq.3&select=id', null],
  ])('of %s', async (path, expected) => {
    expect(await get(path)).toEqual(expected)
  })

  it('of anonymous records are rows', async () => {
    expect(await get('records')).toHaveLength(2)
  })

  it('can be paged and counted', async () => {
    const read = async (path: string, options: RequestOptions = {}): Promise<unknown> => {
      const { status, headers, json } = await server.request(`/rpc/${path}`, options)
      return [status, headers.get('Content-Range'), json]
    }
    const count = { headers: { Prefer: 'count=exact' } }
    const page = { headers: { Prefer: 'count=exact', Range: '1-2' } }
    expect(await read('numbers?upto=5', page)).toEqual([206, '1-2/5', [2, 3]])
    expect(await read('numbers?upto=5', { ...page, method: 'HEAD' })).toEqual([200, '0-4/5', undefined])
    expect(await read('numbers?limit=2', { ...count, method: 'POST', body: { upto: 5 } })).toEqual([
      206,
      '0-1/5',
      [1, 2],
    ])
    expect(await read('add?a=1', count)).toEqual([200, '0-0/1', 11])
    expect(await read('one_project?wanted=1&select=id', count)).toEqual([200, '0-0/1', { id: 1 }])
    expect(await read('one_project?wanted=1&id=eq.2', { method: 'HEAD' })).toEqual([200, '0-0/*', undefined])
    expect(await read('one_project?wanted=1&id=eq.2', { ...count, method: 'HEAD' })).toEqual([
      200,
      '*/0',
      undefined,
    ])
    expect(await read('numbers?upto=3&limit=0')).toEqual([200, '*/*', []])
    expect(await read('numbers?upto=3&offset=9', count)).toMatchObject([416, '*/3', {}])
  })

  it('are computed once', async () => {
    expect((await post('counts_calls', {})).json).toBe(1)
    const singular = { headers: { Accept: 'application/vnd.pgrst.object+json' } }
    expect((await post('counts_calls', {}, singular)).json).toBe(2)
    expect((await post('counts_calls_twice?n=gt.0&order=n&select=n', {})).json).toEqual([{ n: 3 }, { n: 4 }])
    expect((await post('counts_calls', [{}, {}])).json).toBe(5)
    const csv = await post('counts_calls_twice', {}, { headers: { Accept: 'text/csv' } })
    expect(csv.text).toBe('n\n6\n7')
  })

  it('of one row can be returned as a single object', async () => {
    const singular = { headers: { Accept: 'application/vnd.pgrst.object+json' } }
    expect(await post('add', { a: 1 }, singular)).toMatchObject({ status: 200, json: 11 })
    expect(await post('one_project', { wanted: 1 }, singular)).toMatchObject({ status: 200, json: { id: 1 } })
    expect(await post('no_rows', {}, singular)).toMatchObject({
      status: 406,
      json: { details: 'The result contains 0 rows' },
    })
  })
})
