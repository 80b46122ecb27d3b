import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { Asked, RestServer, Told } from './startRest.ts'

let server: RestServer
beforeAll(async () => {
  server = await startRest(fixture)
})
afterAll(() => server?.stop())

const post = (path: string, body: unknown, more: Asked = {}): Promise<Told> =>
  server.ask(`/rpc/${path}`, { method: 'POST', body, ...more })
const get = async (path: string): Promise<unknown> => (await server.ask(`/rpc/${path}`)).json

describe('arguments', () => {
  it('come by name, from the query or the body, defaults left out', async () => {
    expect(await get('add?a=1&b=2')).toBe(3)
    expect(await get('add?a=1')).toBe(11)
    expect((await post('add', { a: 1, b: 2 })).json).toBe(3)
    expect((await post('add', { a: 1 })).json).toBe(11)
    expect((await post('add', [{ a: 1 }, { a: 2 }])).json).toBe(11)
    expect((await post('add?columns=a', { a: 1, b: 5 })).json).toBe(11)
    const form = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
    expect((await post('add', 'a=1&b=2', form)).json).toBe(3)
  })

  it('may be many', async () => {
    expect(await get('joined?words=a&words=b,c')).toBe('a-b,c')
    expect((await post('joined', { words: ['x', 'y'] })).json).toBe('x-y')
  })

  it('may be the whole body', async () => {
    expect((await post('echo_json', { a: [1, { b: null }] })).json).toEqual({ a: [1, { b: null }] })
    expect((await post('echo_text', 'a "text"', { headers: { 'Content-Type': 'text/plain' } })).json).toBe(
      'a "text"',
    )
  })

  it('choose the overload', async () => {
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

  it('must fit', async () => {
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
    expect(await server.ask('/rpc/whoam')).toMatchObject({
      status: 404,
      json: { code: 'PGRST202', hint: 'Perhaps you meant to call the function public.whoami' },
    })
    expect(await post('add', { a: 'x' })).toMatchObject({ status: 400, json: { code: '22P02' } })
    expect(await post('teapot', { a: 1 })).toMatchObject({ status: 404, json: { code: 'PGRST202' } })
  })
})

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
      'rows that join themselves',
      'bosses?select=name,people(name)&id=eq.2',
      [{ name: 'Bea', people: [{ name: 'Omar' }] }],
    ],
  ])('%s', async (_, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })

  it('is nothing for void', async () => {
    expect(await post('nothing', {})).toMatchObject({ status: 204, text: '' })
    expect(await post('nothing', '')).toMatchObject({ status: 204, text: '' })
  })

  it('is counted, and cut at the limit', async () => {
    const { headers, json } = await server.ask('/rpc/some_projects?select=id&limit=2', {
      headers: { Prefer: 'count=exact' },
    })
    expect([headers.get('Content-Range'), (json as unknown[]).length]).toEqual(['0-1/4', 2])
    expect(await get('numbers?upto=1500')).toHaveLength(1000)
    const head = await server.ask('/rpc/some_projects', {
      method: 'HEAD',
      headers: { Prefer: 'count=exact' },
    })
    expect([head.status, head.headers.get('Content-Range'), head.text]).toEqual([200, '0-3/4', ''])
  })

  it('is one object where asked', async () => {
    const singular = { Accept: 'application/vnd.pgrst.object+json' }
    expect((await server.ask('/rpc/some_projects?id=eq.1&select=id', { headers: singular })).json).toEqual({
      id: 1,
    })
    expect(await server.ask('/rpc/some_projects', { headers: singular })).toMatchObject({ status: 406 })
    expect(await post('remove_items', { lowest: 1 }, { headers: singular })).toMatchObject({ status: 406 })
  })

  it('comes through the official client', async () => {
    const client = await server.client()
    expect((await client.rpc('add', { a: 1 })).data).toBe(11)
    expect((await client.rpc('add', { a: 1 }, { get: true })).data).toBe(11)
    expect((await client.rpc('some_projects').select('id').eq('id', 2).single()).data).toEqual({ id: 2 })
    expect((await client.rpc('some_projects', undefined, { count: 'exact', head: true })).count).toBe(4)
  })
})

describe('rules', () => {
  it('reads only by GET, and of what promises not to write', async () => {
    expect(await server.ask('/rpc/add_item?name=x')).toMatchObject({ status: 405, json: { code: '25006' } })
    expect(await post('add_item', { name: 'x' })).toMatchObject({ status: 200, json: { name: 'x' } })
    expect((await get('settings')) as object).toMatchObject({ read_only: 'on' })
    expect(await server.ask('/rpc/add', { method: 'DELETE' })).toMatchObject({
      status: 405,
      json: { code: 'PGRST101' },
    })
  })

  it('undoes a call that touched too much', async () => {
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

  it('lets a function set status and headers', async () => {
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
  ])('answers SQLSTATE %s with %i', async (state, status) => {
    const told = await post('raises', { state, said: 'said', more: 'more', advice: 'advice' })
    expect(told).toMatchObject({
      status,
      json: { code: state, message: 'said', details: 'more', hint: 'advice' },
    })
    expect(told.headers.get('Proxy-Status')).toBe(`PostgREST; error=${state}`)
  })

  it('answers a missing right with 403 to who has signed in', async () => {
    const claims = { role: 'authenticated', sub: 'bea' }
    expect(await post('raises', { state: '42501', said: 'no' }, { claims })).toMatchObject({ status: 403 })
    expect(await server.ask('/secrets', { claims })).toMatchObject({ status: 403, json: { code: '42501' } })
    const anonymous = await server.ask('/secrets')
    expect([anonymous.status, anonymous.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer'])
  })

  it('sends no body with a status that has none, whoever chose it', async () => {
    expect(await post('raises', { state: 'PT204', said: 'x' })).toMatchObject({ status: 204, text: '' })
    expect(await post('raises', { state: 'PT304', said: 'x' })).toMatchObject({ status: 304, text: '' })
    const more = JSON.stringify({ status: 205, headers: {} })
    expect(await post('raises_pgrst', { said: '{"code":"x","message":"y"}', more })).toMatchObject({
      status: 205,
      text: '',
    })
  })

  it('lets SQL write the whole error', async () => {
    const said = JSON.stringify({ code: 'TEA', message: 'Tea is over', hint: 'Coffee', details: null })
    const more = JSON.stringify({ status: 410, headers: { 'X-Tea': 'none' } })
    const told = await post('raises_pgrst', { said, more })
    expect(told).toMatchObject({
      status: 410,
      json: { code: 'TEA', message: 'Tea is over', hint: 'Coffee', details: null },
    })
    expect(told.headers.get('X-Tea')).toBe('none')
    for (const wrong of [
      { said: 'x', more },
      { said, more: 'x' },
      { said },
      { said, more: '{"status":410,"headers":{"a\\r":"b"}}' },
    ]) {
      expect(await post('raises_pgrst', wrong)).toMatchObject({ status: 500, json: { code: 'PGRST121' } })
    }
  })
})

describe('not yet', () => {
  it.fails('takes bytes as the whole body', async () => {
    await server.owner.query(
      'create function size_of(bytea) returns int language sql immutable as $$ select length($1) $$; grant execute on function size_of to anon',
    )
    await server.rest.reload()
    const bytes = { headers: { 'Content-Type': 'application/octet-stream' } }
    expect((await post('size_of', 'abc', bytes)).json).toBe(3)
  })
  it.fails('answers in the media type of a domain', async () => {
    await server.owner.query(
      'create domain "text/plain" as text; create function plain() returns "text/plain" language sql as $$ select \'x\' $$; grant execute on function plain to anon',
    )
    await server.rest.reload()
    expect((await server.ask('/rpc/plain', { headers: { Accept: 'text/plain' } })).text).toBe('x')
  })
})
