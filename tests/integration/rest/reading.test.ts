import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

let server: RestServer
beforeAll(async () => {
  server = await startRest(fixture)
})
afterAll(() => server?.stop())

/** Ids of the rows that match a query on `kinds`. */
async function kinds(query: string): Promise<unknown> {
  const { status, json } = await server.request(`/kinds?select=id&order=id&${query}`)
  return status === 200 ? (json as { id: number }[]).map(({ id }) => id) : json
}

describe('filters', () => {
  it.each([
    ['id=eq.2', [2]],
    ['id=neq.2', [1, 3, 4]],
    ['id=not.eq.2', [1, 3, 4]],
    ['id=gt.2', [3, 4]],
    ['id=gte.2&id=lt.4', [2, 3]],
    ['id=lte.1', [1]],
    ['text=like.t*', [2, 3]],
    ['text=ilike.T*', [2, 3]],
    ['text=like(any).{one,th*}', [1, 3]],
    ['text=like(all).{*o*,t*}', [2]],
    ['text=match.^t', [2, 3]],
    ['text=imatch.^O', [1]],
    ['id=eq(any).{1,3}', [1, 3]],
    ['id=gt(all).{1,2}', [3, 4]],
    ['id=in.(1,3)', [1, 3]],
    ['id=not.in.(1,3)', [2, 4]],
    ['id=in.()', []],
    ['text=in.("two, (too)","th\\"ree")', [2, 3]],
    ['text=in.("ba\\\\ck*")', [4]],
    ['text=eq.two, (too)', [2]],
    ['text=eq.ba\\ck*', [4]],
    ['mood=is.null', [4]],
    ['mood=is.not_null', [1, 2, 3]],
    ['mood=not.is.null', [1, 2, 3]],
    ['flag=is.true', [1]],
    ['flag=is.FALSE', [2]],
    ['flag=is.unknown', [3, 4]],
    ['mood=isdistinct.ok', [1, 3, 4]],
    ['mood=gt.sad', [2, 3]],
    ['tags=cs.{a}', [1]],
    ['tags=cd.{a,b,x}', [1, 3]],
    ['tags=ov.{c,d}', [2]],
    ['span=sl.[6,8)', [1]],
    ['span=sr.[1,4)', [2]],
    ['span=nxr.[1,5)', [1]],
    ['span=nxl.[4,9)', [2]],
    ['span=adj.[9,12)', [2]],
    ['words=fts.birds', [1]],
    ['words=fts(english).birds', [1]],
    ['words=plfts(english).brown birds', [1]],
    ['words=phfts(english).brown bird', [1]],
    ['words=wfts(english).paper -bird', [2]],
    ['text=plfts(simple).too', [2]],
    ['doc->k->>0=eq.1', [1]],
    ['doc->k->>x=eq.y', [2]],
    ['or=(id.eq.1,id.eq.4)', [1, 4]],
    ['and=(id.gt.1,id.lt.4)', [2, 3]],
    ['not.or=(id.eq.1,id.eq.4)', [2, 3]],
    ['or=(id.eq.1,and(text.eq."two, (too)",not.and(id.eq.2,mood.eq.sad)))', [1, 2]],
    ['or=(tags.cs.{a},text.in.("th\\"ree"))', [1, 3]],
    ['"a b"=eq.x', [1]],
    ['a b=eq.x', [1]],
    ['"quo\\"te"=eq.q2', [2]],
    ['Ünï=eq.ü', [1]],
  ])('%s', async (query, expected) => {
    expect(await kinds(query.replaceAll('+', '%2B'))).toEqual(expected)
  })

  it('treats any value as data', async () => {
    for (const value of [`x'; drop table kinds; --`, `"`, `\\`, `$1`, `%00`, `{a,b}`, `NULL`]) {
      const { status, json } = await server.request(
        `/kinds?text=eq.${value === '%00' ? value : encodeURIComponent(value)}`,
      )
      expect([value, status === 200 ? json : status]).toEqual([value, value === '%00' ? 400 : []])
    }
    expect(await kinds('id=eq.1')).toEqual([1])
  })

  it('returns the type error for an invalid value', async () => {
    expect(await kinds('id=eq.x')).toMatchObject({
      code: '22P02',
      message: expect.stringContaining('integer'),
    })
    expect(await kinds('mood=eq.x')).toMatchObject({ code: '22P02' })
    expect(await kinds('nope=eq.1')).toMatchObject({ code: '42703' })
    expect(await kinds('id=like.1')).toMatchObject({ code: '42883' })
  })

  it('reports the position of a syntax error', async () => {
    const { status, json } = await server.request('/kinds?id=noop.0')
    expect(status).toBe(400)
    expect(json).toEqual({
      code: 'PGRST100',
      message: '"failed to parse filter (noop.0)" (line 1, column 1)',
      details: 'unexpected "n" expecting "not" or operator (eq, gt, ...)',
      hint: null,
    })
    for (const query of [
      'or=()',
      'or=(id.eq.1',
      'id=in.1',
      'id=in.(1',
      'id=is.maybe',
      'select=a,,b',
      'order=id.up',
      'id=eq',
    ]) {
      expect([query, ((await server.request(`/kinds?${query}`)).json as { code: string }).code]).toEqual([
        query,
        'PGRST100',
      ])
    }
  })

  it('limits nesting', async () => {
    const deep = (open: string, close: string, core: string): string =>
      open.repeat(400) + core + close.repeat(400)
    expect(await kinds(`or=(${deep('and(', ')', 'id.eq.1')})`)).toMatchObject({ code: 'PGRST100' })
    const { json } = await server.request(`/kinds?select=${deep('kinds(', ')', 'id')}`)
    expect(json).toMatchObject({ code: 'PGRST100' })
  })
})

describe('select', () => {
  const first = async (select: string): Promise<unknown> =>
    ((await server.request(`/clients?select=${encodeURIComponent(select)}&id=eq.1`)).json as unknown[])[0]

  it.each([
    ['id,name', { id: 1, name: 'Mill' }],
    ['called:name', { called: 'Mill' }],
    ['id::text', { id: '1' }],
    ['number:id::double precision', { number: 1 }],
    ['data->city', { city: 'Graz' }],
    ['data->>city', { city: 'Graz' }],
    ['town:data->>city', { town: 'Graz' }],
    ['data->tags->1', { tags: 'b' }],
    ['data->n->deep::text', { deep: '1' }],
    ['data->"city"', { city: 'Graz' }],
    [' id , name ', { id: 1, name: 'Mill' }],
  ])('%s', async (select, expected) => {
    expect(await first(select)).toEqual(expected)
  })

  it('preserves all digits', async () => {
    expect((await server.request('/kinds?select=money&id=eq.1')).text).toBe('[{"money":1.50}]')
  })

  it('returns computed fields by name', async () => {
    expect((await server.request('/projects?select=shout&id=eq.1')).json).toEqual([{ shout: 'WHEEL' }])
  })

  it('refuses aggregates, which are disabled on hosted projects', async () => {
    const { status, json } = await server.request('/kinds?select=id.sum()')
    expect([status, json]).toMatchObject([400, { code: 'PGRST123' }])
    expect((await server.request('/kinds?select=count()')).json).toMatchObject({ code: 'PGRST123' })
  })
})

describe('order and pages', () => {
  it('orders by several fields, with the requested position of nulls', async () => {
    const ids = async (order: string): Promise<number[]> =>
      ((await server.request(`/tasks?select=id&order=${order}`)).json as { id: number }[]).map(({ id }) => id)
    expect(await ids('done.desc.nullslast,id.desc')).toEqual([1, 4, 2, 3])
    expect(await ids('done.asc.nullsfirst,id')).toEqual([3, 2, 4, 1])
    expect(await ids('id.desc')).toEqual([4, 3, 2, 1])
  })

  it('supports limit and offset, and Range', async () => {
    const page = await server.request('/tasks?select=id&order=id&limit=2&offset=1')
    expect([page.status, page.headers.get('Content-Range'), page.json]).toEqual([
      200,
      '1-2/*',
      [{ id: 2 }, { id: 3 }],
    ])
    const range = await server.request('/tasks?select=id&order=id', {
      headers: { Range: '2-9', 'Range-Unit': 'items' },
    })
    expect([range.headers.get('Content-Range'), range.json]).toEqual(['2-3/*', [{ id: 3 }, { id: 4 }]])
    const none = await server.request('/tasks?limit=0')
    expect([none.status, none.headers.get('Content-Range'), none.json]).toEqual([200, '*/*', []])
  })

  it('refuses empty ranges', async () => {
    expect(await server.request('/tasks?limit=-1')).toMatchObject({ status: 416, json: { code: 'PGRST103' } })
    expect(await server.request('/tasks', { headers: { Range: '5-2' } })).toMatchObject({ status: 416 })
    const beyond = await server.request('/tasks?offset=9', { headers: { Prefer: 'count=exact' } })
    expect(beyond).toMatchObject({
      status: 416,
      json: { code: 'PGRST103', details: 'An offset of 9 was requested, but there are only 4 rows.' },
    })
    expect(await server.request('/tasks?offset=9')).toMatchObject({ status: 200, json: [] })
  })

  it('counts exactly, as planned, or as estimated', async () => {
    const count = async (prefer: string): Promise<[number, string | null, string | null]> => {
      const { status, headers } = await server.request('/tasks?limit=2', { headers: { Prefer: prefer } })
      return [status, headers.get('Content-Range'), headers.get('Preference-Applied')]
    }
    expect(await count('count=exact')).toEqual([206, '0-1/4', 'count=exact'])
    expect(await count('count=estimated')).toEqual([206, '0-1/4', 'count=estimated'])
    const [status, range] = await count('count=planned')
    expect([status, range]).toEqual([206, expect.stringMatching(/^0-1\/\d+$/)])
    const all = await server.request('/tasks', { headers: { Prefer: 'count=exact' } })
    expect([all.status, all.headers.get('Content-Range')]).toEqual([200, '0-3/4'])
  })

  it('uses estimates only if no rows are hidden', async () => {
    await server.owner.query(
      `create table walled as select n % 2 as half, n from generate_series(1, 3000) n;
       create view through_the_wall with (security_invoker) as select * from walled;
       analyze walled; grant select on walled, through_the_wall to anon`,
    )
    const counts = async (path: string): Promise<(string | null)[]> => {
      const requests = ['planned', 'estimated'].map((count) =>
        server.request(path, { method: 'HEAD', headers: { Prefer: `count=${count}` } }),
      )
      return (await Promise.all(requests)).map(({ headers }) => headers.get('Content-Range'))
    }
    await server.rest.reload()
    expect(await counts('/walled?half=eq.1')).toEqual(['0-999/1500', '0-999/1500'])
    await server.owner.query(
      'alter table walled enable row level security; create policy "a few" on walled using (n < 10)',
    )
    await server.rest.reload()
    for (const path of ['/walled?half=eq.1', '/through_the_wall?half=eq.1']) {
      expect(await counts(path)).toEqual(['0-4/5', '0-4/5'])
    }
    expect(await counts('/walled?n=eq.20')).toEqual(['*/0', '*/0'])
  })

  it('limits rows to the maximum', async () => {
    await server.owner.query(
      'create table many as select generate_series(1, 1500) as n; grant all on many to anon',
    )
    await server.rest.reload()
    const { json, headers } = await server.request('/many?limit=1400', { headers: { Prefer: 'count=exact' } })
    expect([(json as unknown[]).length, headers.get('Content-Range')]).toEqual([1000, '0-999/1500'])
  })

  it('responds to HEAD with the headers of GET', async () => {
    const { status, headers, text } = await server.request('/tasks', {
      method: 'HEAD',
      headers: { Prefer: 'count=exact' },
    })
    expect([status, headers.get('Content-Range'), text]).toEqual([200, '0-3/4', ''])
  })
})

describe('content', () => {
  const singular = 'application/vnd.pgrst.object+json'

  it('returns a single object, or the number of rows in the error', async () => {
    const one = await server.request('/tasks?id=eq.1&select=id,done', { headers: { Accept: singular } })
    expect([one.json, one.headers.get('Content-Type')]).toEqual([
      { id: 1, done: true },
      `${singular}; charset=utf-8`,
    ])
    for (const [query, rows] of [
      ['id=gt.2', 2],
      ['id=eq.99', 0],
    ] as const) {
      expect(await server.request(`/tasks?${query}`, { headers: { Accept: singular } })).toMatchObject({
        status: 406,
        json: { code: 'PGRST116', details: `The result contains ${rows} rows` },
      })
    }
  })

  it('omits nulls if requested', async () => {
    const object = await server.request('/tasks?id=eq.3', {
      headers: { Accept: `${singular};nulls=stripped` },
    })
    expect(object.json).toEqual({ id: 3, name: 'Paint', project_id: 2 })
    const array = await server.request('/tasks?id=eq.3', {
      headers: { Accept: 'application/vnd.pgrst.array+json;nulls=stripped' },
    })
    expect(array.json).toEqual([{ id: 3, name: 'Paint', project_id: 2 }])
  })

  it('returns CSV', async () => {
    const { text, headers } = await server.request('/kinds?select=id,text,tags&id=lte.3&order=id', {
      headers: { Accept: 'text/csv' },
    })
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(text).toBe('id,text,tags\n1,one,"{a,b}"\n2,"two, (too)","{b,c}"\n3,"th""ree",{}')
  })

  it('chooses the best accepted type, or refuses', async () => {
    const pick = async (accept: string): Promise<string | null> =>
      (await server.request('/tasks?limit=1', { headers: { Accept: accept } })).headers.get('Content-Type')
    expect(await pick('text/html, text/csv;q=0.5, application/json;q=0.9')).toBe(
      'application/json; charset=utf-8',
    )
    expect(await pick('text/html,*/*;q=0.1')).toBe('application/json; charset=utf-8')
    expect(await server.request('/tasks', { headers: { Accept: 'text/html' } })).toMatchObject({
      status: 406,
      json: { code: 'PGRST107', message: 'None of these media types are available: text/html' },
    })
  })
})

it('uses the representation of a domain', async () => {
  await server.owner
    .query(`create domain shade as int; create table shades (s shade); insert into shades values (255);
    create function shade_json(shade) returns json language sql immutable as $$ select to_json('#' || to_hex($1)) $$;
    create cast (shade as json) with function shade_json(shade) as implicit; grant all on shades to anon`)
  await server.rest.reload()
  expect((await server.request('/shades')).json).toEqual([{ s: '#ff' }])
})
