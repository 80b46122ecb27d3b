import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { Asked, RestServer, Told } from './startRest.ts'

let server: RestServer
beforeAll(async () => {
  server = await startRest(fixture)
})
afterAll(() => server?.stop())
beforeEach(() =>
  server.owner.query(`truncate items restart identity; insert into items (name) values ('one'), ('two')`),
)

const write = (method: string, path: string, body: unknown, prefer = '', more: Asked = {}): Promise<Told> =>
  server.ask(path, {
    method,
    body,
    ...more,
    headers: { ...(prefer ? { Prefer: prefer } : {}), ...more.headers },
  })

async function names(): Promise<string[]> {
  const { rows } = await server.owner.query<{ name: string }>('select name from items order by id')
  return rows.map(({ name }) => name)
}

describe('insert', () => {
  it('says 201 and nothing more, unless asked', async () => {
    const minimal = await write('POST', '/items', { name: 'three' })
    expect([minimal.status, minimal.text, minimal.headers.get('Location')]).toEqual([201, '', null])
    expect(minimal.headers.get('Content-Length')).toBe('0')
    const headers = await write('POST', '/items', { name: 'four' }, 'return=headers-only')
    expect([headers.status, headers.text, headers.headers.get('Location')]).toEqual([
      201,
      '',
      '/items?id=eq.4',
    ])
    const full = await write('POST', '/items?select=id,name', { name: 'five' }, 'return=representation')
    expect([full.status, full.json, full.headers.get('Preference-Applied')]).toEqual([
      201,
      [{ id: 5, name: 'five' }],
      'return=representation',
    ])
    const pair = await write('POST', '/pairs', { a: 9, b: 'x&y' }, 'return=headers-only')
    expect(pair.headers.get('Location')).toBe('/pairs?a=eq.9&b=eq.x%26y')
  })

  it('takes many at once, none, and rows of defaults', async () => {
    expect(await write('POST', '/items', [{ name: 'a' }, { name: 'b' }], 'count=exact')).toMatchObject({
      status: 201,
    })
    expect((await write('POST', '/items', [])).status).toBe(201)
    expect((await write('POST', '/items', {})).status).toBe(201)
    expect((await write('POST', '/items', [{}, {}])).status).toBe(201)
    expect(await names()).toEqual(['one', 'two', 'a', 'b', 'unnamed', 'unnamed', 'unnamed'])
  })

  it('fills what is missing with null or, if asked, with defaults', async () => {
    const rows = [{ name: 'a', size: 1 }, { name: 'b' }]
    expect(await write('POST', '/items', rows)).toMatchObject({
      status: 400,
      json: { code: 'PGRST102', message: 'All object keys must match' },
    })
    const nulls = await write(
      'POST',
      '/items?columns=name,size&select=name,size',
      rows,
      'return=representation',
    )
    expect(nulls.json).toEqual([
      { name: 'a', size: 1 },
      { name: 'b', size: null },
    ])
    const defaults = await write(
      'POST',
      '/items?columns=name,size&select=name,size',
      rows,
      'return=representation, missing=default',
    )
    expect(defaults.json).toEqual([
      { name: 'a', size: 1 },
      { name: 'b', size: 7 },
    ])
    expect(defaults.headers.get('Preference-Applied')).toBe('missing=default, return=representation')
    const one = await write(
      'POST',
      '/items?columns=id,name&select=name',
      { name: 'c' },
      'return=representation, missing=default',
    )
    expect(one.json).toEqual([{ name: 'c' }])
  })

  it('ignores keys that `columns` leaves out', async () => {
    const { json } = await write(
      'POST',
      '/items?columns=name&select=name,size',
      { name: 'a', size: 1, x: 2 },
      'return=representation',
    )
    expect(json).toEqual([{ name: 'a', size: 7 }])
  })

  it('updates or ignores what is there already', async () => {
    const merge = 'resolution=merge-duplicates, return=representation'
    const updated = await write('POST', '/items?select=id,name', { id: 1, name: 'uno' }, merge)
    expect([updated.status, updated.json, updated.headers.get('Preference-Applied')]).toEqual([
      200,
      [{ id: 1, name: 'uno' }],
      'resolution=merge-duplicates, return=representation',
    ])
    expect(
      (
        await write(
          'POST',
          '/items',
          [
            { id: 1, name: 'eins' },
            { id: 9, name: 'neun' },
          ],
          merge,
        )
      ).status,
    ).toBe(201)
    const ignored = await write(
      'POST',
      '/items?select=id',
      [
        { id: 1, name: 'x' },
        { id: 10, name: 'zehn' },
      ],
      'resolution=ignore-duplicates, return=representation',
    )
    expect([ignored.status, ignored.json]).toEqual([201, [{ id: 10 }]])
    expect(await names()).toEqual(['eins', 'two', 'neun', 'zehn'])
    await write('POST', '/items', { name: 'l', label: 'same' })
    const other = await write(
      'POST',
      '/items?on_conflict=label&select=name',
      { name: 'm', label: 'same' },
      merge,
    )
    expect([other.status, other.json]).toEqual([200, [{ name: 'm' }]])
    expect(await write('POST', '/items?on_conflict=size', { name: 'n', size: 1 }, merge)).toMatchObject({
      status: 400,
      json: { code: '42P10' },
    })
  })

  it('answers with embeds of the new row', async () => {
    const { json } = await write(
      'POST',
      '/tasks?select=name,projects(name)',
      { id: 50, name: 'new', project_id: 1 },
      'return=representation',
    )
    expect(json).toEqual([{ name: 'new', projects: { name: 'Wheel' } }])
    await server.owner.query('delete from tasks where id = 50')
  })

  it('writes through a view', async () => {
    const { status, json } = await write('POST', '/item_names', { name: 'viewed' }, 'return=representation')
    expect([status, json]).toEqual([201, [{ id: 3, name: 'viewed' }]])
  })

  it('takes a form', async () => {
    const { status } = await write('POST', '/items', 'name=from+a+form&size=3', '', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    expect([status, (await names()).at(-1)]).toEqual([201, 'from a form'])
  })

  it('undoes everything when not one row was to be answered', async () => {
    const refused = await write('POST', '/items', [{ name: 'a' }, { name: 'b' }], 'return=representation', {
      headers: { Accept: 'application/vnd.pgrst.object+json' },
    })
    expect(refused).toMatchObject({
      status: 406,
      json: { code: 'PGRST116', details: 'The result contains 2 rows' },
    })
    expect(await names()).toEqual(['one', 'two'])
  })

  it('answers the errors of constraints and types', async () => {
    const code = async (path: string, body: unknown): Promise<unknown> => {
      const { status, json } = await write('POST', path, body)
      return [status, (json as { code: string }).code]
    }
    expect(await code('/items', { id: 1 })).toEqual([409, '23505'])
    expect(await code('/tasks', { id: 9, name: 'x', project_id: 99 })).toEqual([409, '23503'])
    expect(await code('/tasks', { id: 9, name: null })).toEqual([400, '23502'])
    expect(await code('/items', { size: 'big' })).toEqual([400, '22P02'])
    expect(await code('/items', { doubled: 3 })).toEqual([400, '428C9'])
    expect(await code('/items', { nope: 3 })).toEqual([400, 'PGRST204'])
    expect(await code('/items', '{"name":')).toEqual([400, 'PGRST102'])
    expect(await code('/items', '')).toEqual([400, 'PGRST102'])
    expect(await code('/items?columns=name', '{"name":')).toEqual([400, '22P02'])
    expect(await code('/items?columns=nope', {})).toEqual([400, 'PGRST204'])
    expect(await code('/items', '{"name": "\\u0000"}')).toEqual([400, '22P05'])
  })
})

describe('update and delete', () => {
  it('updates what the filters find', async () => {
    const minimal = await write('PATCH', '/items?id=eq.1', { name: 'uno' })
    expect([minimal.status, minimal.text, minimal.headers.get('Content-Range')]).toEqual([204, '', '0-0/*'])
    const full = await write(
      'PATCH',
      '/items?or=(id.eq.1,id.eq.2)&select=id,size',
      { size: 1 },
      'return=representation, count=exact',
    )
    expect([full.status, full.json, full.headers.get('Content-Range')]).toEqual([
      200,
      [
        { id: 1, size: 1 },
        { id: 2, size: 1 },
      ],
      '0-1/2',
    ])
    expect(await write('PATCH', '/items?id=eq.99', { name: 'x' }, 'return=representation')).toMatchObject({
      status: 200,
      json: [],
    })
    expect(await write('PATCH', '/items?id=eq.1', {}, 'return=representation')).toMatchObject({
      status: 200,
      json: [],
    })
    const defaults = await write(
      'PATCH',
      '/items?id=eq.1&columns=size&select=size',
      {},
      'return=representation, missing=default',
    )
    expect(defaults.json).toEqual([{ size: 7 }])
  })

  it('deletes what the filters find', async () => {
    const full = await server.ask('/items?id=eq.1&select=name', {
      method: 'DELETE',
      headers: { Prefer: 'return=representation, count=exact' },
    })
    expect([full.status, full.json, full.headers.get('Content-Range')]).toEqual([
      200,
      [{ name: 'one' }],
      '*/1',
    ])
    expect((await server.ask('/items?id=eq.99', { method: 'DELETE' })).status).toBe(204)
    expect(await names()).toEqual(['two'])
  })

  it('refuses to touch every row, whoever asks', async () => {
    for (const headers of [{}, { apikey: 'service' }] as Record<string, string>[]) {
      expect(await write('PATCH', '/items', { name: 'x' }, '', { headers })).toMatchObject({
        status: 400,
        json: { code: '21000', message: 'UPDATE requires a WHERE clause', details: null, hint: null },
      })
      expect(await server.ask('/items', { method: 'DELETE', headers })).toMatchObject({
        status: 400,
        json: { code: '21000', message: 'DELETE requires a WHERE clause' },
      })
      expect(
        await server.ask('/items?select=id&order=id&limit=1', { method: 'DELETE', headers }),
      ).toMatchObject({ status: 400 })
    }
    expect(await names()).toEqual(['one', 'two'])
  })

  it('undoes what touched more than max-affected', async () => {
    expect(
      await write('PATCH', '/items?id=gt.0', { name: 'x' }, 'handling=strict, max-affected=1'),
    ).toMatchObject({
      status: 400,
      json: { code: 'PGRST124', details: 'The query affects 2 rows' },
    })
    expect(
      await server.ask('/items?id=gt.0', {
        method: 'DELETE',
        headers: { Prefer: 'handling=strict, max-affected=1' },
      }),
    ).toMatchObject({ status: 400 })
    expect(await names()).toEqual(['one', 'two'])
    const fits = await write('PATCH', '/items?id=eq.1', { name: 'x' }, 'handling=strict, max-affected=1')
    expect([fits.status, fits.headers.get('Preference-Applied')]).toEqual([
      204,
      'handling=strict, max-affected=1',
    ])
    expect((await write('PATCH', '/items?id=gt.0', { name: 'y' }, 'max-affected=1')).status).toBe(204)
  })

  it('undoes everything under tx=rollback, and still answers', async () => {
    const { status, json, headers } = await write(
      'PATCH',
      '/items?id=eq.1&select=name',
      { name: 'x' },
      'return=representation, tx=rollback',
    )
    expect([status, json, headers.get('Preference-Applied')]).toEqual([
      200,
      [{ name: 'x' }],
      'return=representation, tx=rollback',
    ])
    expect(await names()).toEqual(['one', 'two'])
  })
})

describe('PUT', () => {
  it('makes or replaces the one row that its address names', async () => {
    const made = await write('PUT', '/items?id=eq.7', { id: 7, name: 'seven' }, 'return=representation')
    expect([made.status, made.json]).toMatchObject([201, [{ id: 7, name: 'seven' }]])
    expect(
      await write('PUT', '/items?id=eq.7', { id: 7, name: 'sieben' }, 'return=representation'),
    ).toMatchObject({ status: 200 })
    expect((await write('PUT', '/items?id=eq.7', { id: 7, name: 'sept' })).status).toBe(204)
    expect((await write('PUT', '/pairs?a=eq.1&b=eq.x', { a: 1, b: 'x', note: 'put' })).status).toBe(204)
  })

  it('refuses another row than its address names', async () => {
    expect(await write('PUT', '/items?id=eq.7', { id: 8, name: 'x' })).toMatchObject({
      status: 400,
      json: { code: 'PGRST115' },
    })
    for (const query of [
      '',
      '?name=eq.x',
      '?id=gt.1',
      '?id=eq.1&name=eq.x',
      '?id=not.eq.1',
      '?or=(id.eq.1)',
    ]) {
      expect([query, await write('PUT', `/items${query}`, { id: 1, name: 'x' })]).toMatchObject([
        query,
        { status: 405, json: { code: 'PGRST105' } },
      ])
    }
    expect(await write('PUT', '/items?id=eq.1&limit=1', { id: 1, name: 'x' })).toMatchObject({
      status: 400,
      json: { code: 'PGRST114' },
    })
    expect(await names()).toEqual(['one', 'two'])
  })
})

describe('policies', () => {
  it('lets Bea write her own note, not one of Ann, and Omar see neither', async () => {
    const bea = await server.client({ role: 'authenticated', name: 'Bea' })
    expect((await bea.from('notes').insert({ id: 10, owner: 'Bea', body: 'b' }).select()).data).toHaveLength(
      1,
    )
    expect(await bea.from('notes').insert({ id: 11, owner: 'Ann', body: 'a' })).toMatchObject({
      status: 403,
      error: { code: '42501' },
    })
    expect((await bea.from('notes').select()).data).toHaveLength(2)
    const omar = await server.client({ role: 'authenticated', name: 'Omar' })
    expect((await omar.from('notes').select()).data).toEqual([])
    const { data } = await omar.from('people').select('name, notes:tasks(name)').eq('id', 1)
    expect(data).toHaveLength(1)
  })

  it('writes through the official client', async () => {
    const client = await server.client()
    const { data } = await client.from('items').upsert({ id: 1, name: 'up' }).select('id, name').single()
    expect(data).toEqual({ id: 1, name: 'up' })
    expect((await client.from('items').update({ name: 'x' }).eq('id', 1).select('name')).data).toEqual([
      { name: 'x' },
    ])
    expect((await client.from('items').delete().eq('id', 1)).status).toBe(204)
    expect(
      (
        await client
          .from('items')
          .insert([{ name: 'a' }, { size: 2 }], { defaultToNull: false })
          .select('name, size')
      ).data,
    ).toEqual([
      { name: 'a', size: 7 },
      { name: 'unnamed', size: 2 },
    ])
  })
})

describe('not yet', () => {
  it.fails('inserts CSV', async () => {
    const csv = { headers: { 'Content-Type': 'text/csv' } }
    expect((await write('POST', '/items', 'name,size\na,1\nb,2', '', csv)).status).toBe(201)
  })
})
