import { afterAll, beforeAll, expect, it, describe } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

let server: RestServer
beforeAll(async () => {
  server = await startRest(fixture)
})
afterAll(() => server?.stop())

const get = async (path: string): Promise<unknown> => (await server.request(path)).json

describe('relationships', () => {
  it.each([
    ['to one', '/projects?select=name,clients(name)&id=eq.1', [{ name: 'Wheel', clients: { name: 'Mill' } }]],
    ['to one, missing', '/projects?select=clients(name)&id=eq.4', [{ clients: null }]],
    ['to many', '/projects?select=tasks(name)&id=eq.1', [{ tasks: [{ name: 'Draw' }, { name: 'Build' }] }]],
    ['to many, none', '/projects?select=tasks(name)&id=eq.3', [{ tasks: [] }]],
    ['many to many', '/people?select=tasks(name)&id=eq.2', [{ tasks: [{ name: 'Build' }] }]],
    ['one to one', '/projects?select=project_details(budget)&id=eq.2', [{ project_details: { budget: 20 } }]],
    [
      'one to one, from the other side',
      '/project_details?select=projects(name)&project_id=eq.2',
      [{ projects: { name: 'Barn' } }],
    ],
    [
      'of a table with itself, children',
      '/people?select=people(name)&id=eq.1',
      [{ people: [{ name: 'Bea' }, { name: 'Gus' }] }],
    ],
    [
      'of a table with itself, parent',
      '/people?select=boss:boss_id(name)&id=eq.4',
      [{ boss: { name: 'Bea' } }],
    ],
    [
      'of a table with itself, parent of the parent',
      '/people?select=boss_id(name,boss_id(name))&id=eq.4',
      [{ boss_id: { name: 'Bea', boss_id: { name: 'Ann' } } }],
    ],
    ['by column', '/projects?select=client_id(name)&id=eq.1', [{ client_id: { name: 'Mill' } }]],
    [
      'by constraint',
      '/projects?select=projects_client_fkey(name)&id=eq.1',
      [{ projects_client_fkey: { name: 'Mill' } }],
    ],
    [
      'hint of a constraint',
      '/projects?select=people!projects_owner_fkey(name)&id=eq.1',
      [{ people: { name: 'Ann' } }],
    ],
    ['hint of a column', '/projects?select=people!reviewer_id(name)&id=eq.1', [{ people: { name: 'Bea' } }]],
    [
      'hint of a junction',
      '/people?select=tasks!people_tasks(name)&id=eq.3',
      [{ tasks: [{ name: 'Paint' }] }],
    ],
    ['computed, to one', '/projects?select=latest_task(name)&id=eq.1', [{ latest_task: { name: 'Build' } }]],
    [
      'nested',
      '/clients?select=projects(name,tasks(name))&id=eq.1',
      [{ projects: [{ name: 'Wheel', tasks: [{ name: 'Draw' }, { name: 'Build' }] }] }],
    ],
    [
      'the same twice, under aliases',
      '/projects?select=o:people!owner_id(name),r:people!reviewer_id(name)&id=eq.2',
      [{ o: { name: 'Bea' }, r: { name: 'Ann' } }],
    ],
    [
      'all columns',
      '/projects?select=*,clients(*)&id=eq.4',
      [{ id: 4, name: 'Alone', client_id: null, owner_id: null, reviewer_id: null, clients: null }],
    ],
  ])('%s', async (_, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })

  it('spreads one row into its parent, many into lists', async () => {
    expect(await get('/projects?select=name,...clients(client:name)&id=in.(1,4)&order=id')).toEqual([
      { name: 'Wheel', client: 'Mill' },
      { name: 'Alone', client: null },
    ])
    expect(await get('/projects?select=name,...tasks(task:name)&id=in.(1,3)&order=id')).toEqual([
      { name: 'Wheel', task: ['Draw', 'Build'] },
      { name: 'Fence', task: [] },
    ])
    expect(await get('/tasks?select=name,...projects(project:name,...clients(client:name))&id=eq.1')).toEqual(
      [{ name: 'Draw', project: 'Wheel', client: 'Mill' }],
    )
  })

  it('lists the hints that resolve an ambiguous one', async () => {
    const { status, json } = await server.request('/projects?select=people(*)')
    expect(status).toBe(300)
    expect(json).toEqual({
      code: 'PGRST201',
      message: "Could not embed because more than one relationship was found for 'projects' and 'people'",
      details: [
        {
          cardinality: 'many-to-one',
          embedding: 'projects with people',
          relationship: 'projects_owner_fkey using projects(owner_id) and people(id)',
        },
        {
          cardinality: 'many-to-one',
          embedding: 'projects with people',
          relationship: 'projects_reviewer_fkey using projects(reviewer_id) and people(id)',
        },
      ],
      hint:
        "Try changing 'people' to one of the following: 'people!projects_owner_fkey', " +
        "'people!projects_reviewer_fkey'. Find the desired relationship in the 'details' key.",
    })
    const { json: error } = await server.request('/projects?select=people(*)')
    for (const [, hint] of (error as { hint: string }).hint.matchAll(/'(people![^']+)'/g)) {
      expect((await server.request(`/projects?select=${hint}(name)`)).status).toBe(200)
    }
  })

  it('suggests only accessible names for a missing one', async () => {
    expect(await server.request('/projects?select=client(*)')).toMatchObject({
      status: 400,
      json: { code: 'PGRST200', hint: "Perhaps you meant 'clients' instead of 'client'." },
    })
    expect(await get('/projects?select=xyz(*)')).toMatchObject({ code: 'PGRST200', hint: null })
  })
})

describe('filters and order', () => {
  it('filters, orders and limits the embedded rows', async () => {
    expect(await get('/projects?select=tasks(name)&tasks.name=eq.Build&id=eq.1')).toEqual([
      { tasks: [{ name: 'Build' }] },
    ])
    expect(await get('/projects?select=tasks(name)&tasks.order=name&tasks.limit=1&id=eq.1')).toEqual([
      { tasks: [{ name: 'Build' }] },
    ])
    expect(await get('/projects?select=tasks(name)&tasks.offset=1&tasks.order=id&id=eq.1')).toEqual([
      { tasks: [{ name: 'Build' }] },
    ])
    expect(await get('/projects?select=tasks(name)&tasks.or=(name.eq.Draw,name.eq.x)&id=eq.1')).toEqual([
      { tasks: [{ name: 'Draw' }] },
    ])
    expect(await get('/clients?select=projects(tasks(name))&projects.tasks.name=eq.Draw&id=eq.1')).toEqual([
      { projects: [{ tasks: [{ name: 'Draw' }] }] },
    ])
  })

  it('returns only parents with rows if the embed is inner', async () => {
    const found = await server.request('/projects?select=name,tasks!inner(name)&tasks.name=eq.Build', {
      headers: { Prefer: 'count=exact' },
    })
    expect(found.json).toEqual([{ name: 'Wheel', tasks: [{ name: 'Build' }] }])
    expect(found.headers.get('Content-Range')).toBe('0-0/1')
    expect(await get('/projects?select=name,clients!inner()&clients.name=eq.Farm&order=id')).toEqual([
      { name: 'Barn' },
      { name: 'Fence' },
    ])
    expect(await get('/people?select=name,tasks!inner(name)&tasks.name=eq.Paint')).toEqual([
      { name: 'Gus', tasks: [{ name: 'Paint' }] },
    ])
  })

  it('filters by whether an embed has rows', async () => {
    const ids = async (query: string): Promise<unknown> => {
      const { json, headers } = await server.request(`/projects?order=id&${query}`, {
        headers: { Prefer: 'count=exact' },
      })
      return [(json as { id: number }[]).map(({ id }) => id), headers.get('Content-Range')]
    }
    expect(await ids('select=id,tasks()&tasks=is.null')).toEqual([[3, 4], '0-1/2'])
    expect(await ids('select=id,tasks()&tasks=not.is.null')).toEqual([[1, 2], '0-1/2'])
    expect(await ids('select=id,clients()&clients=is.null')).toEqual([[4], '0-0/1'])
    expect(await ids('select=id,t:tasks(),clients()&or=(t.not.is.null,clients.is.null)')).toEqual([
      [1, 2, 4],
      '0-2/3',
    ])
  })

  it('orders by a field of a to-one embed', async () => {
    expect(
      await get('/projects?select=name,clients(name)&order=clients(name).desc.nullslast,name'),
    ).toMatchObject([{ name: 'Wheel' }, { name: 'Barn' }, { name: 'Fence' }, { name: 'Alone' }])
    expect(await get('/projects?select=name,tasks(name)&order=tasks(name)')).toMatchObject({
      code: 'PGRST118',
    })
  })

  it('refers to an embed by its alias, and warns if its table name is used', async () => {
    const byAlias = await server.request('/projects?select=c:clients(name)&c.name=eq.Mill&id=eq.1')
    expect([byAlias.json, byAlias.headers.get('Warning')]).toEqual([[{ c: { name: 'Mill' } }], null])
    const byTable = await server.request('/projects?select=c:clients(name)&clients.name=eq.Mill&id=eq.1')
    expect(byTable.json).toEqual([{ c: { name: 'Mill' } }])
    expect(byTable.headers.get('Warning')).toMatch(/^299 .*`clients` to `c`/)
    expect(await server.request('/projects?clients.name=eq.Mill')).toMatchObject({
      status: 400,
      json: { code: 'PGRST108' },
    })
  })
})
