import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

const schema = `
create type place as (street text, no int);
create domain short as text check (length(value) < 20);
create domain shorter as short;
create domain vector as tsvector;
create table things (
  id int primary key, name text, short shorter, home place, homes place[], list int[], doc jsonb, plain json,
  words tsvector, own_words vector, span int4range, days daterange, on_it bool, "select" text, "a.b" text, "c,d(e)" text,
  "f-g" text, "h""i" text, "日本" text, "->" text, "é\u0301" text);
insert into things (id, name, short, home, homes, list, doc, plain, words, own_words, span, days, on_it, "select", "a.b", "c,d(e)", "f-g", "h""i", "日本", "->") values
  (1, 'Robin', 'r', ('Elm', 4), array[('Elm', 4), ('Oak', 5)]::place[], '{1,2,3}', '{"a": [10, 20, 30], "b-c": 1, "d,e": {"f.g": "x"}, "1": "one", "": "empty"}',
   '{"k": [1]}', to_tsvector('english', 'quick robins singing'), to_tsvector('simple', 'one two'), '[1,5)', '[2026-01-01,2026-02-01)', true, 's', 'dot', 'comma', 'dash', 'quote', '鳥', 'arrow'),
  (2, 'wren', 'w', null, '{}', '{4}', '{"a": [], "b-c": 2}', '{"k": []}', to_tsvector('english', 'slow wrens'), to_tsvector('simple', 'two'), '[5,9)', null, false, null, null, null, null, null, null, null),
  (3, 'Rob, "the" \\ (bird)*', null, ('Oak', 1), null, '{}', null, null, null, null, 'empty', null, null, null, null, null, null, null, '魚', null);
create function loud(things) returns text language sql immutable as $$ select upper($1.name) $$;
create function parts(things) returns jsonb language sql immutable as $$ select jsonb_build_object('n', length($1.name)) $$;
create table years (year int, name text) partition by list (year);
create table years_2025 partition of years for values in (2025);
create table years_2026 partition of years for values in (2026);
insert into years values (2025, 'old'), (2026, 'new');
grant select on all tables in schema public to anon;`

let server: RestServer
beforeAll(async () => {
  server = await startRest(schema)
})
afterAll(() => server?.stop())

/** Ids of the rows that match a query. Names and values are encoded; `%26` is an ampersand in one. */
async function find(query: string): Promise<unknown> {
  const encoded = query
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      return `${encodeURIComponent(pair.slice(0, equals))}=${encodeURIComponent(pair.slice(equals + 1).replaceAll('%26', '&'))}`
    })
    .join('&')
  const { status, json } = await server.request(
    `/things?select=id&${query.includes('order=') ? '' : 'order=id&'}${encoded}`,
  )
  return status === 200 ? (json as { id: number }[]).map(({ id }) => id) : json
}

async function first(select: string): Promise<unknown> {
  const { status, json } = await server.request(`/things?select=${encodeURIComponent(select)}&id=eq.1`)
  return status === 200 ? (json as unknown[])[0] : json
}

describe('any and all', () => {
  it.each([
    ['id=eq(any).{1,3}', [1, 3]],
    ['id=eq(all).{1}', [1]],
    ['id=not.eq(any).{1,3}', [2]],
    ['id=gt(any).{1,2}', [2, 3]],
    ['id=gte(all).{1,2}', [2, 3]],
    ['id=lt(all).{2,3}', [1]],
    ['id=lte(any).{1,2}', [1, 2]],
    ['name=like(any).{R*,w*}', [1, 2, 3]],
    ['name=ilike(all).{r*,*N}', [1]],
    ['name=match(any).{^R,n$}', [1, 2, 3]],
    ['name=imatch(all).{^r,n$}', [1]],
    ['or=(id.eq(any).{1,2},name.not.like(all).{R*,*})', [1, 2]],
    ['id=eq(any).{}', []],
    ['id=eq(all).{}', [1, 2, 3]],
  ])('%s', async (query, expected) => {
    expect(await find(query)).toEqual(expected)
  })

  it('are only allowed for comparison operators', async () => {
    for (const query of [
      'id=neq(any).{1}',
      'id=in(any).(1)',
      'id=is(any).null',
      'list=cs(any).{1}',
      'id=eq(some).{1}',
      'id=eq().1',
      'id=isdistinct(any).1',
    ]) {
      expect([query, await find(query)]).toMatchObject([query, { code: 'PGRST100' }])
    }
  })
})

describe('text search', () => {
  it.each([
    ['words=fts.robin', [1]],
    ['words=fts(english).robins', [1]],
    ['words=fts(english).robin %26 !slow', [1]],
    ['words=not.plfts(english).quick robins', [2]],
    ['words=phfts(english).singing robins', []],
    ['words=wfts(english).wrens or singing', [1, 2]],
    ['own_words=plfts(simple).one', [1]],
    ['name=fts(simple).wren', [2]],
    ['short=plfts(simple).r', [1]],
    ['doc->>b-c=plfts.2', [2]],
    ['plain->>k=plfts(simple).1', [1]],
    ['loud=plfts(simple).wren', [2]],
    ['or=(words.fts(english).wren,words.phfts(english).quick robin)', [1, 2]],
  ])('%s', async (query, expected) => {
    expect(await find(query)).toEqual(expected)
  })

  it('uses a parameter for the configuration', async () => {
    expect(await find('words=fts(nosuch).a')).toMatchObject({ code: '42704' })
    expect(await find(`words=fts(a'b).a`)).toMatchObject({ code: 'PGRST100' })
  })
})

describe('lists, ranges and truth', () => {
  it.each([
    ['list=cs.{1,3}', [1]],
    ['list=cd.{1,2,3,4}', [1, 2, 3]],
    ['list=ov.{3,4}', [1, 2]],
    ['list=eq.{}', [3]],
    ['doc=cs.{"b-c":2}', [2]],
    ['span=cs.[2,3)', [1]],
    ['span=ov.[4,6)', [1, 2]],
    ['span=sl.[6,7)', [1]],
    ['span=adj.[5,6)', [1]],
    ['span=not.nxl.[2,9)', [1, 3]],
    ['on_it=is.true', [1]],
    ['on_it=not.is.true', [2, 3]],
    ['on_it=is.UNKNOWN', [3]],
    ['on_it=is.not_null', [1, 2]],
    ['on_it=not.is.not_null', [3]],
    ['or=(on_it.is.null,on_it.not.is.false)', [1, 3]],
    ['on_it=isdistinct.true', [2, 3]],
    ['on_it=not.isdistinct.true', [1]],
    ['or=(on_it.isdistinct.false,id.eq.2)', [1, 2, 3]],
  ])('%s', async (query, expected) => {
    expect(await find(query)).toEqual(expected)
  })
})

describe('quoting', () => {
  it.each([
    ['name=in.("Rob, \\"the\\" \\\\ (bird)*")', [3]],
    ['name=eq.Rob, "the" \\ (bird)*', [3]],
    ['name=like.Rob, "the" \\\\ (bird)*', [3]],
    ['or=(name.eq."Rob, \\"the\\" \\\\ (bird)*",id.eq.1)', [1, 3]],
    ['or=(name.in.("wren","Robin"),id.eq.3)', [1, 2, 3]],
    ['and=(list.eq.{1,2,3},list.cs.{1})', [1]],
    ['name=in.(Robin,wren)', [1, 2]],
    ['name=in.(Robin, wren)', [1]],
    ['name=not.in.("Robin")', [2, 3]],
    ['name=eq."Robin"', []],
    ['"select"=eq.s', [1]],
    ['"a.b"=eq.dot', [1]],
    ['"c,d(e)"=eq.comma', [1]],
    ['f-g=eq.dash', [1]],
    ['"h\\"i"=eq.quote', [1]],
    ['日本=in.(鳥,魚)', [1, 3]],
    ['日本=ilike.*魚*', [3]],
    ['"->"=eq.arrow', [1]],
    ['or=("a.b".eq.dot,日本.eq.魚)', [1, 3]],
    ['é\u0301=is.null', [1, 2, 3]],
  ])('%s', async (query, expected) => {
    expect(await find(query)).toEqual(expected)
  })

  it.each([
    ['"a.b"', { 'a.b': 'dot' }],
    ['x:"c,d(e)"', { x: 'comma' }],
    ['"y z":日本', { 'y z': '鳥' }],
    ['f-g,"h\\"i"', { 'f-g': 'dash', 'h"i': 'quote' }],
    ['"->"', { '->': 'arrow' }],
  ])('select %s', async (select, expected) => {
    expect(await first(select)).toEqual(expected)
  })
})

describe('JSON paths', () => {
  it.each([
    ['doc->a->0', { a: 10 }],
    ['doc->a->>-1', { a: '30' }],
    ['doc->b-c', { 'b-c': 1 }],
    ['doc->"d,e"->>"f.g"', { 'f.g': 'x' }],
    ['doc->"1"', { 1: 'one' }],
    ['doc->1', { doc: null }],
    ['doc->""', { doc: 'empty' }],
    ['x:doc->a->1::text', { x: '20' }],
    ['home->street', { street: 'Elm' }],
    ['homes->1->>street', { street: 'Oak' }],
    ['homes->-2->no', { no: 4 }],
    ['list->0,list->>-1', { list: '3' }],
    ['plain->k->0', { k: 1 }],
    ['name->x', { x: null }],
    ['parts->n', { n: 5 }],
  ])('select %s', async (select, expected) => {
    expect(await first(select)).toEqual(expected)
  })

  it.each([
    ['home->>street=eq.Oak', [3]],
    ['home->no=gt.2', [1]],
    ['homes->0->>no=eq.4', [1]],
    ['list->>-1=eq.4', [2]],
    ['doc->a->0=not.is.null', [1]],
    ['doc->>b-c=in.(1,2)', [1, 2]],
    ['doc->a=eq.[]', [2]],
    ['or=(doc->b-c.eq.1,home->>street.eq.Oak)', [1, 3]],
    ['parts->n=lt.5', [2]],
    ['order=doc->b-c.desc.nullslast', [2, 1, 3]],
    ['order=home->>street.asc.nullsfirst,id.desc', [2, 1, 3]],
    ['order=homes->0->no,list->-1.desc.nullslast', [1, 2, 3]],
    ['order="a.b".nullsfirst,日本.desc.nullslast', [3, 2, 1]],
  ])('%s', async (query, expected) => {
    expect(await find(query)).toEqual(expected)
  })
})

describe('computed columns', () => {
  it('can be selected, filtered and ordered by', async () => {
    expect(await first('loud,shouted:loud::text')).toEqual({ loud: 'ROBIN', shouted: 'ROBIN' })
    expect(await find('loud=like.W*')).toEqual([2])
    expect(await find('or=(loud.eq.ROBIN,id.eq.2)&loud=not.is.null')).toEqual([1, 2])
    expect(await find('order=loud.desc')).toEqual([2, 1, 3])
    expect(await find('loudest=eq.x')).toMatchObject({ code: '42703' })
  })
})

describe('partitioned tables', () => {
  it('are exposed without their partitions', async () => {
    expect((await server.request('/years?order=year')).json).toEqual([
      { year: 2025, name: 'old' },
      { year: 2026, name: 'new' },
    ])
    expect(await server.request('/years_2025')).toMatchObject({ status: 404, json: { code: 'PGRST205' } })
  })
})
