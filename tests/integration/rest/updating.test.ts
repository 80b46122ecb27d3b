import { describe, expect, it } from 'vitest'
import { useItems } from './useItems.ts'

const items = useItems()
const { write, names } = items

describe('update and delete', () => {
  it('updates matching rows', async () => {
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

  it('deletes matching rows', async () => {
    const full = await items.server().request('/items?id=eq.1&select=name', {
      method: 'DELETE',
      headers: { Prefer: 'return=representation, count=exact' },
    })
    expect([full.status, full.json, full.headers.get('Content-Range')]).toEqual([
      200,
      [{ name: 'one' }],
      '*/1',
    ])
    expect((await items.server().request('/items?id=eq.99', { method: 'DELETE' })).status).toBe(204)
    expect(await names()).toEqual(['two'])
  })

  it('refuses to change all rows, for every role', async () => {
    for (const headers of [{}, { apikey: 'service' }] as Record<string, string>[]) {
      expect(await write('PATCH', '/items', { name: 'x' }, '', { headers })).toMatchObject({
        status: 400,
        json: { code: '21000', message: 'UPDATE requires a WHERE clause', details: null, hint: null },
      })
      expect(await items.server().request('/items', { method: 'DELETE', headers })).toMatchObject({
        status: 400,
        json: { code: '21000', message: 'DELETE requires a WHERE clause' },
      })
      expect(
        await items.server().request('/items?select=id&order=id&limit=1', { method: 'DELETE', headers }),
      ).toMatchObject({ status: 400 })
    }
    expect(await names()).toEqual(['one', 'two'])
  })

  it('rolls back if more than max-affected rows change', async () => {
    expect(
      await write('PATCH', '/items?id=gt.0', { name: 'x' }, 'handling=strict, max-affected=1'),
    ).toMatchObject({
      status: 400,
      json: { code: 'PGRST124', details: 'The query affects 2 rows' },
    })
    expect(
      await items.server().request('/items?id=gt.0', {
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

  it('rolls back with tx=rollback, and returns the rows', async () => {
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

describe('options of writes', () => {
  it('apply order to the response, but neither limits nor Range', async () => {
    const response = await write(
      'PATCH',
      '/items?id=gt.0&select=name&order=name.desc&limit=1&offset=1',
      { size: 1 },
      'return=representation',
      { headers: { Range: '0-0' } },
    )
    expect([response.status, response.json, response.headers.get('Content-Range')]).toEqual([
      200,
      [{ name: 'two' }, { name: 'one' }],
      '0-1/*',
    ])
    expect(await write('PATCH', '/items?id=gt.0&limit=-1', { size: 2 })).toMatchObject({ status: 416 })
  })

  it('an empty update changes nothing, with or without filters', async () => {
    for (const body of ['{}', '[]', '[{}]', 'null']) {
      const response = await write('PATCH', '/items?select=name', body)
      expect([body, response.status, response.headers.get('Content-Range')]).toEqual([body, 204, '*/*'])
    }
  })

  it('return embeds, computed columns and relationships of the changed row', async () => {
    const { json } = await write(
      'PATCH',
      '/projects?id=eq.1&select=shout,clients(name),latest_task(name),tasks(name)&tasks.id=eq.1',
      { name: 'Wheel' },
      'return=representation, tx=rollback',
    )
    expect(json).toEqual([
      {
        shout: 'WHEEL',
        clients: { name: 'Mill' },
        latest_task: { name: 'Build' },
        tasks: [{ name: 'Draw' }],
      },
    ])
  })

  it('filter by computed columns and JSON paths', async () => {
    const { status, json } = await write(
      'PATCH',
      '/clients?data->>city=eq.Linz&select=id',
      { name: 'Farm' },
      'return=representation, tx=rollback',
    )
    expect([status, json]).toEqual([200, [{ id: 2 }]])
  })

  it('roll back with 406 unless there is exactly one row', async () => {
    const single = { headers: { Accept: 'application/vnd.pgrst.object+json' } }
    for (const [filter, rows] of [
      ['id=gt.0', 2],
      ['id=eq.99', 0],
    ] as const) {
      for (const prefer of ['', 'return=representation']) {
        expect(await write('PATCH', `/items?${filter}`, { name: 'x' }, prefer, single)).toMatchObject({
          status: 406,
          json: { code: 'PGRST116', details: `The result contains ${rows} rows` },
        })
      }
    }
    const one = await write(
      'PATCH',
      '/items?id=eq.1&select=id',
      { name: 'x' },
      'return=representation',
      single,
    )
    expect([one.status, one.json, one.headers.get('Content-Type')]).toEqual([
      200,
      { id: 1 },
      'application/vnd.pgrst.object+json; charset=utf-8',
    ])
    expect(await names()).toEqual(['x', 'two'])
  })
})

describe('the end of a transaction', () => {
  const preferences = ['', 'tx=commit', 'tx=rollback']

  it.each([
    ['commit', [true, true, true], [null, null, null]],
    ['commit-allow-override', [true, true, false], [null, 'tx=commit', 'tx=rollback']],
    ['rollback', [false, false, false], [null, null, null]],
    ['rollback-allow-override', [false, true, false], [null, 'tx=commit', 'tx=rollback']],
  ] as const)('set to %s', async (txEnd, lasts, applied) => {
    const sendRequest = await items.server().beside({ txEnd })
    for (const [i, prefer] of preferences.entries()) {
      const response = await sendRequest(`/items?id=eq.1`, {
        method: 'PATCH',
        body: { name: `${txEnd} ${i}` },
        ...(prefer === '' ? {} : { headers: { Prefer: prefer } }),
      })
      const [name] = await names()
      expect([
        prefer,
        response.status,
        name === `${txEnd} ${i}`,
        response.headers.get('Preference-Applied'),
      ]).toEqual([prefer, 204, lasts[i], applied[i]])
    }
  })

  it('checks deferred constraints, also before a rollback', async () => {
    await items
      .server()
      .owner.query(
        `create table late (id int primary key, of int references late deferrable initially deferred); grant all on late to anon`,
      )
    await items.server().rest.reload()
    for (const prefer of ['tx=commit', 'tx=rollback']) {
      expect(await write('POST', '/late', { id: 1, of: 2 }, prefer)).toMatchObject({
        status: 409,
        json: { code: '23503' },
      })
    }
  })
})

describe('preferences', () => {
  it('that are unknown are refused only with handling=strict', async () => {
    const path = '/items?id=eq.1'
    const strict = await write(
      'PATCH',
      path,
      { name: 'x' },
      'handling=strict, params=single-object, return=all',
    )
    expect(strict).toMatchObject({
      status: 400,
      json: { code: 'PGRST122', details: 'Invalid preferences: params=single-object, return=all' },
    })
    const lenient = await write('PATCH', path, { name: 'x' }, 'handling=lenient, params=single-object')
    expect([lenient.status, lenient.headers.get('Preference-Applied')]).toEqual([204, 'handling=lenient'])
  })
})

describe('policies', () => {
  it('allow users to write their own notes only, and hide them from others', async () => {
    const bea = await items.server().client({ role: 'authenticated', name: 'Bea' })
    expect((await bea.from('notes').insert({ id: 10, owner: 'Bea', body: 'b' }).select()).data).toHaveLength(
      1,
    )
    expect(await bea.from('notes').insert({ id: 11, owner: 'Ann', body: 'a' })).toMatchObject({
      status: 403,
      error: { code: '42501' },
    })
    expect((await bea.from('notes').select()).data).toHaveLength(2)
    const omar = await items.server().client({ role: 'authenticated', name: 'Omar' })
    expect((await omar.from('notes').select()).data).toEqual([])
    const { data } = await omar.from('people').select('name, notes:tasks(name)').eq('id', 1)
    expect(data).toHaveLength(1)
  })
})
