import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

const schema = `
create schema private;
create table people (
  id int primary key, name text not null,
  boss_id int constraint people_boss_fkey references people, mentor_id int constraint people_mentor_fkey references people);
create table teams (id int primary key, name text not null, lead_id int unique constraint teams_lead_fkey references people);
create table members (
  team_id int constraint members_team_fkey references teams, person_id int constraint members_person_fkey references people,
  primary key (team_id, person_id));
create table visits (
  from_id int constraint visits_from_fkey references teams, to_id int constraint visits_to_fkey references teams,
  host_id int constraint visits_host_fkey references people, guest_id int constraint visits_guest_fkey references people,
  primary key (from_id, to_id, host_id, guest_id));
create table rooms (floor int, door int, name text, primary key (floor, door));
create table desks (
  id int primary key, floor int, door int, owner_id int references people,
  constraint desks_room_fkey foreign key (floor, door) references rooms);
create table private.badges (person_id int primary key references people, code text);
create table private.paths (person_id int references people, floor int, door int, foreign key (floor, door) references rooms, primary key (person_id, floor, door));
create table lonely (id int primary key);
create table parcels (id int, kind text, person_id int references people, primary key (id, kind)) partition by list (kind);
create table parcels_big partition of parcels for values in ('big');

insert into people values (1, 'Ann', null, null), (2, 'Bea', 1, 1), (3, 'Gus', 1, 2), (4, 'Omar', 2, 2);
insert into teams values (1, 'Red', 1), (2, 'Blue', null);
insert into members values (1, 1), (1, 2), (2, 3);
insert into rooms values (1, 1, 'Attic'), (1, 2, 'Den');
insert into desks values (1, 1, 1, 1), (2, 1, 2, 2), (3, 1, null, 2), (4, null, null, null);
insert into parcels values (1, 'big', 2);

create function chief(people) returns setof people rows 1 stable language sql as 'select * from people where id = $1.boss_id';
create function staff(people) returns setof people stable language sql as 'select * from people where boss_id = $1.id';
create function desks(people) returns setof desks stable language sql as 'select * from desks where owner_id = $1.id and door is not null';
create function owner(desks) returns setof people rows 1 stable language sql as 'select * from people where id = $1.owner_id';
create function neighbours(desks) returns setof desks stable language sql as 'select * from desks where floor = $1.floor and id <> $1.id';
create function neighbours(teams) returns setof teams stable language sql as 'select * from teams where id <> $1.id';
create function everyone() returns setof people stable language sql as 'select * from people';
create function private.secret(people) returns setof people stable language sql as 'select * from people';
grant select on all tables in schema public to anon;`

let server: RestServer
beforeAll(async () => {
  server = await startRest(schema)
})
afterAll(() => server?.stop())

const get = async (path: string): Promise<unknown> => (await server.request(path)).json

describe('a self-reference', () => {
  it.each([
    ['to the parent, by the column', '/people?select=boss_id(name)&id=eq.2', [{ boss_id: { name: 'Ann' } }]],
    [
      'to the parent of the parent, by names',
      '/people?select=boss:boss_id(name),mentor:mentor_id(name)&id=eq.3',
      [{ boss: { name: 'Ann' }, mentor: { name: 'Bea' } }],
    ],
    [
      'to the children, by a hint',
      '/people?select=people!boss_id(name)&id=eq.1',
      [{ people: [{ name: 'Bea' }, { name: 'Gus' }] }],
    ],
    [
      'to the children, by another hint',
      '/people?select=pupils:people!mentor_id(name)&id=eq.2',
      [{ pupils: [{ name: 'Gus' }, { name: 'Omar' }] }],
    ],
    [
      'to parent and children',
      '/people?select=boss_id(name),staff:people!boss_id(name)&id=eq.2',
      [{ boss_id: { name: 'Ann' }, staff: [{ name: 'Omar' }] }],
    ],
  ])('%s', async (_, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })

  it('is ambiguous with two keys, and cannot be selected by a constraint', async () => {
    expect(await server.request('/people?select=people(name)')).toMatchObject({
      status: 300,
      json: { details: [{ cardinality: 'one-to-many' }, { cardinality: 'one-to-many' }] },
    })
    expect(await get('/people?select=people!people_boss_fkey(name)')).toMatchObject({ code: 'PGRST200' })
  })
})

describe('computed relationships', () => {
  it.each([
    ['to one', '/people?select=chief(name)&id=eq.2', [{ chief: { name: 'Ann' } }]],
    ['to one, none', '/people?select=chief(name)&id=eq.1', [{ chief: null }]],
    ['to many', '/people?select=staff(name)&id=eq.1', [{ staff: [{ name: 'Bea' }, { name: 'Gus' }] }]],
    [
      'nested in itself',
      '/people?select=name,chief(name,chief(name))&id=eq.4',
      [{ name: 'Omar', chief: { name: 'Bea', chief: { name: 'Ann' } } }],
    ],
    ['in place of a foreign key', '/people?select=desks(id)&id=eq.2', [{ desks: [{ id: 2 }] }]],
    [
      'back by the foreign key',
      '/desks?select=owner(name),people(name)&id=eq.3',
      [{ owner: { name: 'Bea' }, people: { name: 'Bea' } }],
    ],
    [
      'one name for two tables',
      '/teams?select=neighbours(name)&id=eq.1',
      [{ neighbours: [{ name: 'Blue' }] }],
    ],
    [
      'filtered, ordered, limited',
      '/people?select=staff(name)&staff.order=name.desc&staff.limit=1&id=eq.1',
      [{ staff: [{ name: 'Gus' }] }],
    ],
    [
      'inner',
      '/people?select=name,staff!inner(name)&staff.name=eq.Omar',
      [{ name: 'Bea', staff: [{ name: 'Omar' }] }],
    ],
    [
      'of the rows of a function',
      '/rpc/everyone?select=name,chief(name)&id=eq.2',
      [{ name: 'Bea', chief: { name: 'Ann' } }],
    ],
    [
      'filtered by whether rows exist',
      '/people?select=name,staff()&staff=is.null&order=id',
      [{ name: 'Gus' }, { name: 'Omar' }],
    ],
    [
      'ordering the parent',
      '/people?select=name,chief(name)&order=chief(name).desc.nullslast,id&limit=1',
      [{ name: 'Omar', chief: { name: 'Bea' } }],
    ],
  ])('%s', async (_, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })

  it('of a schema that is not exposed do not exist', async () => {
    expect(await get('/people?select=secret(name)')).toMatchObject({ code: 'PGRST200' })
  })
})

describe('composite keys, hidden keys, partitions', () => {
  it('joins by all columns', async () => {
    expect(await get('/desks?select=rooms(name)&order=id')).toEqual([
      { rooms: { name: 'Attic' } },
      { rooms: { name: 'Den' } },
      { rooms: null },
      { rooms: null },
    ])
    expect(await get('/rooms?select=name,desks!desks_room_fkey(id)&door=eq.2')).toEqual([
      { name: 'Den', desks: [{ id: 2 }] },
    ])
    expect(await get('/desks?select=desks_room_fkey(name)&id=eq.1')).toEqual([
      { desks_room_fkey: { name: 'Attic' } },
    ])
  })

  it('ignores hidden tables, also as junctions', async () => {
    expect(await get('/people?select=badges(code)')).toMatchObject({ code: 'PGRST200' })
    expect(await get('/people?select=rooms(name)')).toMatchObject({ code: 'PGRST200' })
  })

  it('joins a partitioned table as a whole', async () => {
    expect(await get('/people?select=parcels(kind)&id=eq.2')).toEqual([{ parcels: [{ kind: 'big' }] }])
    expect(await get('/parcels?select=people(name)')).toEqual([{ people: { name: 'Bea' } }])
    expect(await get('/people?select=parcels_big(kind)')).toMatchObject({ code: 'PGRST200' })
  })
})

describe('an ambiguous one', () => {
  it('lists keys, one-to-one relationships and junctions', async () => {
    const { status, json } = await server.request('/teams?select=people(*)')
    expect([status, json]).toEqual([
      300,
      {
        code: 'PGRST201',
        message: "Could not embed because more than one relationship was found for 'teams' and 'people'",
        details: [
          {
            cardinality: 'one-to-one',
            embedding: 'teams with people',
            relationship: 'teams_lead_fkey using teams(lead_id) and people(id)',
          },
          {
            cardinality: 'many-to-many',
            embedding: 'teams with people',
            relationship: 'members using members_team_fkey(team_id) and members_person_fkey(person_id)',
          },
          ...['from', 'to'].flatMap((end) =>
            ['guest', 'host'].map((role) => ({
              cardinality: 'many-to-many',
              embedding: 'teams with people',
              relationship: `visits using visits_${end}_fkey(${end}_id) and visits_${role}_fkey(${role}_id)`,
            })),
          ),
        ],
        hint:
          "Try changing 'people' to one of the following: 'people!teams_lead_fkey', 'people!members', " +
          "'people!visits', 'people!visits', 'people!visits', 'people!visits'. Find the desired relationship in the 'details' key.",
      },
    ])
    expect(await get('/teams?select=people!teams_lead_fkey(name)&id=eq.1')).toEqual([
      { people: { name: 'Ann' } },
    ])
    expect(await get('/teams?select=people!members(name)&id=eq.1')).toEqual([
      { people: [{ name: 'Ann' }, { name: 'Bea' }] },
    ])
    expect(await get('/teams?select=lead_id(name)&id=eq.1')).toEqual([{ lead_id: { name: 'Ann' } }])
    expect(await get('/teams?select=people!visits(name)')).toMatchObject({ code: 'PGRST201' })
  })
})

describe('a missing one', () => {
  it.each([
    ['suggests a similar name', '/people?select=desk(*)', "Perhaps you meant 'desks' instead of 'desk'."],
    ['suggests nothing for a wrong hint', '/desks?select=rooms!nope(*)', null],
    ['suggests nothing for a table without relationships', '/lonely?select=people(*)', null],
  ])('%s', async (_, path, hint) => {
    expect(await server.request(path)).toMatchObject({ status: 400, json: { code: 'PGRST200', hint } })
  })

  it('contains the given hint', async () => {
    expect(await get('/desks?select=rooms!nope(*)')).toMatchObject({
      message: "Could not find a relationship between 'desks' and 'rooms' in the schema cache",
      details:
        "Searched for a foreign key relationship between 'desks' and 'rooms' using the hint 'nope' in the schema 'public', but no matches were found.",
    })
  })
})

describe('conditions on embeds', () => {
  const names = async (query: string): Promise<unknown> => {
    const { json, headers } = await server.request(`/people?order=id&${query}`, {
      headers: { Prefer: 'count=exact' },
    })
    return [(json as { name: string }[]).map(({ name }) => name), headers.get('Content-Range')?.split('/')[1]]
  }

  it.each([
    [
      'for one of two embeds',
      'select=name,a:boss_id(),b:desks()&or=(a.is.null,b.not.is.null)',
      [['Ann', 'Bea'], '2'],
    ],
    [
      'for neither of two embeds',
      'select=name,a:boss_id(),b:desks()&not.or=(a.is.null,b.not.is.null)',
      [['Gus', 'Omar'], '2'],
    ],
    [
      'in a logic tree',
      'select=name,a:boss_id(),b:desks()&and=(name.neq.Gus,or(and(a.is.null,b.not.is.null),a.not.is.null))',
      [['Ann', 'Bea', 'Omar'], '3'],
    ],
    [
      'with a filter on the embed',
      'select=name,members!members_person_fkey()&members.team_id=eq.2&members=not.is.null',
      [['Gus'], '1'],
    ],
    [
      'on a nested embed',
      'select=name,members!inner(teams!inner())&members.teams.name=eq.Blue',
      [['Gus'], '1'],
    ],
    [
      'within an embed',
      'select=name,staff:people!boss_id!inner(desks())&staff.desks=not.is.null',
      [['Ann'], '1'],
    ],
  ])('%s', async (_, query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  it('can be part of logic at any level', async () => {
    expect(
      await get('/teams?select=people!members(name)&people.not.or=(name.eq.Ann,name.eq.Omar)&order=id'),
    ).toEqual([{ people: [{ name: 'Bea' }] }, { people: [{ name: 'Gus' }] }])
    expect(
      await get(
        '/teams?select=members(people(name,desks(id)))&members.people.desks.or=(id.eq.2,id.eq.9)&members.people.desks.and=(floor.eq.1)&members.person_id=eq.2&id=eq.1',
      ),
    ).toEqual([{ members: [{ people: { name: 'Bea', desks: [{ id: 2 }] } }] }])
  })

  it('require a selected embed', async () => {
    expect(await server.request('/people?select=name&desks.id=eq.1')).toMatchObject({
      status: 400,
      json: { code: 'PGRST108', hint: "Verify that 'desks' is included in the 'select' query parameter." },
    })
    expect(await get('/desks?select=id&order=rooms(name)')).toMatchObject({ code: 'PGRST108' })
    expect(await get('/people?select=id,desks(id)&order=desks(id)')).toMatchObject({
      code: 'PGRST118',
      message: "A related order on 'desks' is not possible",
      details: "'people' and 'desks' do not form a many-to-one or one-to-one relationship",
    })
  })
})

describe('with other settings', () => {
  let strict: RestServer
  beforeAll(async () => {
    strict = await startRest(schema, { settings: { useLegacyTargetNames: false, maxRows: 1 } })
  })
  afterAll(() => strict?.stop())

  it('requires the alias if table names are disabled', async () => {
    expect(await strict.request('/people?select=d:desks(id)&desks.id=eq.1')).toMatchObject({
      status: 400,
      json: {
        code: 'PGRST108',
        details: 'Target names are not allowed in filters if they have an alias',
        hint: "Change 'desks' to 'd' in filters, orders or limits.",
      },
    })
    const { json, headers } = await strict.request('/people?select=d:desks(id)&d.id=eq.1&id=eq.1')
    expect([json, headers.get('Warning')]).toEqual([[{ d: [{ id: 1 }] }], null])
  })

  it('limits rows at every level', async () => {
    const { json, headers } = await strict.request(
      '/teams?select=id,people!members(id),...members(person_id)&order=id',
      {
        headers: { Prefer: 'count=exact' },
      },
    )
    expect([json, headers.get('Content-Range')]).toEqual([
      [{ id: 1, people: [{ id: 1 }], person_id: [1] }],
      '0-0/2',
    ])
    expect(
      (await strict.request('/teams?select=id,members(person_id)&members.limit=5&limit=5')).json,
    ).toEqual([{ id: 1, members: [{ person_id: 1 }] }])
    expect((await strict.request('/rpc/everyone?select=name,staff(name)&order=id')).json).toEqual([
      { name: 'Ann', staff: [{ name: 'Bea' }] },
    ])
  })
})
