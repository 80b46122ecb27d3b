import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

/** Hidden tables and views of them: simple, joined, nested, materialized, with repeated and renamed columns. */
const schema = `
create schema hidden;
grant usage on schema hidden to anon;
create table hidden.birds (id int primary key, name text not null);
create table hidden.nests (
  id int primary key, bird_id int not null constraint nests_bird_fkey references hidden.birds,
  guest_id int constraint nests_guest_fkey references hidden.birds, tree text);
create table hidden.rings (bird_id int primary key constraint rings_bird_fkey references hidden.birds, code text);
create table hidden.trees (country text, number int, primary key (country, number));
create table hidden.visits (
  bird_id int constraint visits_bird_fkey references hidden.birds, country text, number int,
  constraint visits_tree_fkey foreign key (country, number) references hidden.trees,
  primary key (bird_id, country, number));
insert into hidden.birds values (1, 'Wren'), (2, 'Robin'), (3, 'Cuckoo');
insert into hidden.nests values (1, 1, null, 'oak'), (2, 2, 3, 'elm'), (3, 2, null, 'ash');
insert into hidden.rings values (2, 'R2');
insert into hidden.trees values ('at', 1), ('at', 2);
insert into hidden.visits values (1, 'at', 1), (2, 'at', 1), (2, 'at', 2);

create table birds_seen (bird_id int references hidden.birds, place text);
insert into birds_seen values (1, 'pond'), (2, 'pond'), (2, 'hill');
create view birds as select id, name from hidden.birds;
create view nests as select id as nest, bird_id as owner, guest_id as guest, tree from hidden.nests;
create view rings as select * from hidden.rings;
create view trees as select country as land, number as no from hidden.trees;
create view visits as select bird_id, country as land, number as no from hidden.visits;
create view "ti{n}y ,(b)irds \\ :resorigtbl" as select id as "i{d} :resorigcol 3", (select count(*) from hidden.nests) as many from hidden.birds;
create view birds_of_birds as select name, id as again from birds;
create materialized view kept_nests as select n.id, n.owner, b.name from (select nest as id, owner from nests) n join hidden.birds b on b.id = n.owner;
create view either as select id, name from hidden.birds union select id, tree from hidden.nests;
create view twice as select id, bird_id as one, bird_id as two from hidden.nests;
create view with_query as with n as (select id, bird_id from hidden.nests) select bird_id + 0 as sum, bird_id, id from n;
create view partial as select country from hidden.trees;
create view nest_rings as select n.id as nest_id, r.bird_id, r.code from hidden.nests n join hidden.rings r on r.bird_id = n.bird_id;
grant select on all tables in schema public to anon;`

let server: RestServer
beforeAll(async () => {
  server = await startRest(schema)
})
afterAll(() => server?.stop())

const get = async (path: string): Promise<unknown> => (await server.request(path)).json

describe('embeds through views', () => {
  it.each([
    [
      'from view to view',
      '/nests?select=tree,birds!nests_bird_fkey(name)&nest=eq.1',
      [{ tree: 'oak', birds: { name: 'Wren' } }],
    ],
    ['by the view column', '/nests?select=birds!guest(name)&nest=eq.2', [{ birds: { name: 'Cuckoo' } }]],
    ['to many', '/birds?select=nests!owner(tree)&id=eq.2', [{ nests: [{ tree: 'elm' }, { tree: 'ash' }] }]],
    [
      'from table to view',
      '/birds_seen?select=place,birds(name)&bird_id=eq.1',
      [{ place: 'pond', birds: { name: 'Wren' } }],
    ],
    [
      'from view to table',
      '/birds?select=birds_seen(place)&id=eq.2',
      [{ birds_seen: [{ place: 'pond' }, { place: 'hill' }] }],
    ],
    [
      'one to one',
      '/birds?select=rings(code)&order=id&limit=2',
      [{ rings: null }, { rings: { code: 'R2' } }],
    ],
    [
      'through a view of a view',
      '/birds_of_birds?select=name,birds_seen(place)&again=eq.1',
      [{ name: 'Wren', birds_seen: [{ place: 'pond' }] }],
    ],
    [
      'through a materialised view, a subquery and a join',
      '/kept_nests?select=id,birds(name)&id=eq.3',
      [{ id: 3, birds: { name: 'Robin' } }],
    ],
    [
      'through a common table expression',
      '/with_query?select=id,birds(name)&id=eq.1',
      [{ id: 1, birds: { name: 'Wren' } }],
    ],
    [
      'many to many, by keys of several columns',
      '/birds?select=trees(no)&id=eq.2',
      [{ trees: [{ no: 1 }, { no: 2 }] }],
    ],
    [
      'of columns whose names resemble a stored query tree',
      `/${encodeURIComponent('ti{n}y ,(b)irds \\ :resorigtbl')}?select=many,birds_seen(place)&order=${encodeURIComponent('"i{d} :resorigcol 3"')}&limit=1`,
      [{ many: 3, birds_seen: [{ place: 'pond' }] }],
    ],
  ])('%s', async (_, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })

  it('find no key if columns are computed, from a UNION or missing', async () => {
    for (const path of ['/either?select=birds_seen(*)', '/partial?select=visits(*)']) {
      expect([path, await get(path)]).toMatchObject([path, { code: 'PGRST200' }])
    }
  })

  it('offer each repetition of a column, and accept it as a hint', async () => {
    const { status, json } = await server.request('/twice?select=birds(*)')
    expect([status, json]).toMatchObject([
      300,
      {
        code: 'PGRST201',
        details: [
          { cardinality: 'many-to-one', relationship: 'nests_bird_fkey using twice(one) and birds(id)' },
          { cardinality: 'many-to-one', relationship: 'nests_bird_fkey using twice(two) and birds(id)' },
        ],
      },
    ])
    expect(await get('/twice?select=birds!two(name)&id=eq.1')).toEqual([{ birds: { name: 'Wren' } }])
  })

  it('refer to a view only by its name: a constraint or column means the table', async () => {
    expect(await get('/nests?select=nests_bird_fkey(name)')).toMatchObject({ code: 'PGRST200' })
    expect(await get('/nests?select=owner(name)')).toMatchObject({ code: 'PGRST200' })
  })

  it('use a replaced view after the next reload', async () => {
    await server.owner.query('create or replace view partial as select country, number from hidden.trees')
    await server.rest.reload()
    expect(await get('/partial?select=visits(bird_id)&number=eq.2')).toEqual([{ visits: [{ bird_id: 2 }] }])
  })
})

it('detects the primary key of a view', async () => {
  await server.owner.query('grant all on birds to anon')
  const { status, headers } = await server.request('/birds', {
    method: 'POST',
    headers: { Prefer: 'return=headers-only' },
    body: { id: 9, name: 'Owl' },
  })
  expect([status, headers.get('Location')]).toEqual([201, '/birds?id=eq.9'])
})
