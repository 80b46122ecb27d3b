import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RequestOptions, RestServer } from './startRest.ts'

/**
 * `shade` is a number in the database and `#00ff00` in JSON. `moment` is written as seconds, but parsed like a time: it
 * has no cast in the other direction.
 */
const representations = `
create schema looks;
grant usage on schema looks to anon;
create domain looks.shade as int check (value >= 0);
create function looks.shade(text) returns looks.shade language sql immutable as
  $$ select ('x' || lpad(ltrim($1, '#'), 8, '0'))::bit(32)::int $$;
create function looks.shade(json) returns looks.shade language sql immutable as $$ select looks.shade($1 #>> '{}') $$;
create function looks.to_json(looks.shade) returns json language sql immutable as
  $$ select to_json(coalesce('#' || lpad(to_hex($1), 6, '0'), 'none')) $$;
create cast (looks.shade as json) with function looks.to_json(looks.shade) as implicit;
create cast (json as looks.shade) with function looks.shade(json) as implicit;
create cast (text as looks.shade) with function looks.shade(text) as implicit;
create domain looks.moment as timestamptz;
create function looks.to_json(looks.moment) returns json language sql stable as $$ select to_json(extract(epoch from $1)::bigint) $$;
create cast (looks.moment as json) with function looks.to_json(looks.moment) as implicit;
create domain looks.plain as text;
create function looks.assigned(looks.plain) returns json language sql immutable as $$ select to_json('never'::text) $$;
create cast (looks.plain as json) with function looks.assigned(looks.plain) as assignment;

create table palettes (id int primary key, name text);
create table paints (
  id int primary key, name looks.plain, shade looks.shade default 255, mixed looks.moment default '2026-01-01Z',
  palette_id int references palettes);
create view bright as select id, shade, (shade / 2)::looks.shade as half from paints;
create function paints_of(palette int) returns setof paints language sql stable as
  $$ select * from paints where palette_id = palette $$;
create function shade_of(paint int) returns looks.shade language sql stable as $$ select shade from paints where id = paint $$;
create function lighter(shade looks.shade) returns int language sql immutable as $$ select shade * 2 $$;
insert into palettes values (1, 'sea');
insert into paints values (1, 'blue', 255, '2026-01-02Z', 1), (2, 'green', 65280, '2026-01-03Z', 1), (3, 'clear', null, null, null);
grant all on palettes, paints, bright to anon;
grant execute on all functions in schema public, looks to anon;
`

let server: RestServer

beforeAll(async () => {
  server = await startRest(fixture)
  await server.owner.query(representations)
  await server.rest.reload()
})
afterAll(() => server.stop())

async function sendRequest(path: string, options: RequestOptions = {}): Promise<unknown> {
  const { status, json } = await server.request(path, options)
  return status < 300 ? json : { status, json }
}

const trial = { Prefer: 'return=representation, tx=rollback' }

describe('selected values', () => {
  it('use the representation, with or without a column list', async () => {
    expect(await sendRequest('/paints?select=id,shade&order=id')).toEqual([
      { id: 1, shade: '#0000ff' },
      { id: 2, shade: '#00ff00' },
      { id: 3, shade: 'none' },
    ])
    const whole = { id: 1, name: 'blue', shade: '#0000ff', mixed: 1767312000, palette_id: 1 }
    for (const select of ['', '&select=*'])
      expect(await sendRequest(`/paints?id=eq.1${select}`)).toEqual([whole])
    expect((await server.request('/paints?id=eq.1&select=mixed,*')).text).toBe(
      '[{"mixed":1767312000,"id":1,"name":"blue","shade":"#0000ff","mixed":1767312000,"palette_id":1}]',
    )
  })

  it('can have an alias and a cast', async () => {
    expect(await sendRequest('/paints?id=eq.1&select=colour:shade,text:shade::text')).toEqual([
      { colour: '#0000ff', text: '"#0000ff"' },
    ])
  })

  it('use it in views, embeds, spreads and functions that return rows', async () => {
    expect(await sendRequest('/bright?id=eq.2')).toEqual([{ id: 2, shade: '#00ff00', half: '#007f80' }])
    expect(await sendRequest('/palettes?select=paints(shade)&paints.order=id')).toEqual([
      { paints: [{ shade: '#0000ff' }, { shade: '#00ff00' }] },
    ])
    expect(await sendRequest('/palettes?select=...paints(shade)&paints.order=id')).toEqual([
      { shade: ['#0000ff', '#00ff00'] },
    ])
    expect(await sendRequest('/rpc/paints_of?palette=1&select=shade&order=id')).toEqual([
      { shade: '#0000ff' },
      { shade: '#00ff00' },
    ])
  })

  it('are ordered by the stored value, and not used for scalar functions', async () => {
    const ids = await sendRequest('/paints?select=id&order=shade.desc.nullslast')
    expect(ids).toEqual([{ id: 2 }, { id: 1 }, { id: 3 }])
    expect(await sendRequest('/rpc/shade_of?paint=1')).toBe(255)
    expect(await sendRequest('/rpc/lighter?shade=2')).toBe(4)
  })

  it('use it in CSV, and an unknown column is an error', async () => {
    const { text } = await server.request('/paints?id=eq.1&select=id,shade', {
      headers: { Accept: 'text/csv' },
    })
    expect(text).toBe('id,shade\n1,"""#0000ff"""')
    expect(await sendRequest('/paints?select=shade,brush')).toMatchObject({
      status: 400,
      json: { code: '42703' },
    })
  })
})

describe('filter operands', () => {
  const ids = async (filter: string): Promise<number[]> =>
    ((await sendRequest(`/paints?select=id&order=id&${filter}`)) as { id: number }[]).map(({ id }) => id)

  it('are parsed by the cast from text', async () => {
    expect(await ids('shade=eq.%23ff')).toEqual([1])
    expect(await ids('shade=eq.255')).toEqual([])
    expect(await ids('shade=neq.%23ff')).toEqual([2])
    expect(await ids('shade=gt.fe')).toEqual([1, 2])
    expect(await ids('shade=in.(%23ff,ff00)')).toEqual([1, 2])
    expect(await ids('shade=not.in.(%23ff)')).toEqual([2])
    expect(await ids('shade=eq(any).{ff,ff00}')).toEqual([1, 2])
    expect(await ids('shade=isdistinct.ff')).toEqual([2, 3])
    expect(await ids('shade=is.null')).toEqual([3])
    expect(await ids('or=(shade.eq.ff,id.eq.3)')).toEqual([1, 3])
    expect(await sendRequest('/palettes?select=paints(id)&paints.shade=eq.ff00')).toEqual([
      { paints: [{ id: 2 }] },
    ])
  })

  it('are parsed by PostgreSQL without such a cast', async () => {
    expect(await ids('mixed=eq.2026-01-02T00:00:00Z')).toEqual([1])
    expect(await sendRequest('/paints?mixed=eq.1767312000')).toMatchObject({ status: 400 })
    expect(await sendRequest('/paints?shade=like.f*')).toMatchObject({ status: 404, json: { code: '42883' } })
  })
})

describe('written values', () => {
  it('are parsed by the cast from JSON', async () => {
    const rows = [
      { id: 7, shade: '#010000' },
      { id: 8, shade: '#02' },
    ]
    const result = await sendRequest('/paints?select=id,shade', {
      method: 'POST',
      body: rows,
      headers: trial,
    })
    expect(result).toEqual([
      { id: 7, shade: '#010000' },
      { id: 8, shade: '#000002' },
    ])
    const one = { method: 'PATCH', body: { shade: '#03' }, headers: trial }
    expect(await sendRequest('/paints?shade=eq.%23ff&select=id,shade', one)).toEqual([
      { id: 1, shade: '#000003' },
    ])
    const put = { method: 'PUT', body: { id: 1, name: 'x', shade: '#04' }, headers: trial }
    expect(await sendRequest('/paints?id=eq.1&select=shade', put)).toEqual([{ shade: '#000004' }])
    const view = { method: 'PATCH', body: { shade: '#0a' }, headers: trial }
    expect(await sendRequest('/bright?id=eq.1', view)).toEqual([{ id: 1, shade: '#00000a', half: '#000005' }])
  })

  it('are stored in the domain', async () => {
    await sendRequest('/paints', { method: 'POST', body: { id: 20, shade: '#10' } })
    const { rows } = await server.owner.query('select shade from paints where id = 20')
    expect(rows).toEqual([{ shade: 16 }])
    await server.owner.query('delete from paints where id = 20')
  })

  it('use defaults without conversion', async () => {
    const rows = [{ id: 30, shade: '#05' }, { id: 31 }]
    const result = await sendRequest('/paints?columns=id,shade,mixed&select=id,shade,mixed', {
      method: 'POST',
      body: rows,
      headers: { Prefer: 'return=representation, missing=default, tx=rollback' },
    })
    expect(result).toEqual([
      { id: 30, shade: '#000005', mixed: 1767225600 },
      { id: 31, shade: '#0000ff', mixed: 1767225600 },
    ])
  })

  it('cause an error for an unknown column', async () => {
    const wrong = { method: 'POST', body: { id: 1 }, headers: trial }
    expect(await sendRequest('/paints?columns=id,shade,brush', wrong)).toMatchObject({
      status: 400,
      json: { code: 'PGRST204' },
    })
  })
})
