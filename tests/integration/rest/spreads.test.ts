import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

let server: RestServer
beforeAll(async () => {
  server = await startRest(fixture)
})
afterAll(() => server?.stop())

const get = async (path: string): Promise<unknown> => (await server.request(path)).json

describe('spread to one', () => {
  it.each([
    [
      'all columns',
      '/tasks?select=done,...projects(*)&id=eq.3',
      [{ done: null, id: 2, name: 'Barn', client_id: 2, owner_id: 2, reviewer_id: 1 }],
    ],
    [
      'null columns for a missing row',
      '/tasks?select=name,...projects(project:name)&id=eq.4',
      [{ name: 'Idle', project: null }],
    ],
    [
      'with a nested embed',
      '/tasks?select=...projects(project:name,clients(name))&id=eq.1',
      [{ project: 'Wheel', clients: { name: 'Mill' } }],
    ],
    [
      'with nested lists',
      '/tasks?select=name,...projects(...tasks(siblings:name))&id=eq.1',
      [{ name: 'Draw', siblings: ['Draw', 'Build'] }],
    ],
    [
      'a computed relationship',
      '/projects?select=name,...latest_task(task:name)&id=eq.1',
      [{ name: 'Wheel', task: 'Build' }],
    ],
    [
      'with a cast and a JSON path',
      '/projects?select=name,...clients(key:id::text,data->>city)&id=eq.1',
      [{ name: 'Wheel', key: '1', city: 'Graz' }],
    ],
    [
      'inner',
      '/tasks?select=name,...projects!inner(project:name)&projects.name=eq.Barn',
      [{ name: 'Paint', project: 'Barn' }],
    ],
    [
      'in the order of the parent',
      '/tasks?select=name,...projects(project:name)&order=projects(project).desc.nullslast,id&limit=2',
      [
        { name: 'Draw', project: 'Wheel' },
        { name: 'Build', project: 'Wheel' },
      ],
    ],
    ['without columns', '/tasks?select=name,...projects()&id=eq.1', [{ name: 'Draw' }]],
  ])('%s', async (_, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })
})

describe('spread to many', () => {
  it.each([
    [
      'all columns, each a list',
      '/people?select=name,...people_tasks(*)&id=in.(1,4)&order=id',
      [
        { name: 'Ann', person_id: [1, 1], task_id: [1, 2] },
        { name: 'Omar', person_id: [], task_id: [] },
      ],
    ],
    [
      'many to many',
      '/people?select=name,...tasks(task:name)&id=eq.1',
      [{ name: 'Ann', task: ['Draw', 'Build'] }],
    ],
    [
      'ordered',
      '/projects?select=...tasks(task:name)&tasks.order=name&id=eq.1',
      [{ task: ['Build', 'Draw'] }],
    ],
    [
      'ordered by a column that is not selected',
      '/projects?select=...tasks(name)&tasks.order=id.desc&id=eq.1',
      [{ name: ['Build', 'Draw'] }],
    ],
    [
      'ordered by a column of a nested spread',
      '/clients?select=...projects(name,...people!projects_owner_fkey(owner:name))&projects.order=people(owner)&id=eq.2',
      [{ name: ['Fence', 'Barn'], owner: ['Ann', 'Bea'] }],
    ],
    [
      'ordered, filtered and limited',
      '/clients?select=...projects(name)&projects.order=name.desc&projects.limit=1&projects.id=gt.1&id=eq.2',
      [{ name: ['Fence'] }],
    ],
    [
      'lists of lists',
      '/clients?select=...projects(name,...tasks(task:name))&projects.order=id&id=eq.2',
      [{ name: ['Barn', 'Fence'], task: [['Paint'], []] }],
    ],
    [
      'lists of embeds',
      '/clients?select=...projects(name,tasks(name),people!projects_owner_fkey(name))&projects.order=id&id=eq.2',
      [
        {
          name: ['Barn', 'Fence'],
          tasks: [[{ name: 'Paint' }], []],
          people: [{ name: 'Bea' }, { name: 'Ann' }],
        },
      ],
    ],
    [
      'null values and no rows differ',
      '/projects?select=...tasks(done)&id=in.(2,3)&order=id',
      [{ done: [null] }, { done: [] }],
    ],
    ['inner', '/projects?select=id,...tasks!inner(name)&tasks.name=eq.Paint', [{ id: 2, name: ['Paint'] }]],
    [
      'filtered by whether rows exist',
      '/projects?select=id,...tasks(task:name)&tasks=is.null&order=id',
      [
        { id: 3, task: [] },
        { id: 4, task: [] },
      ],
    ],
  ])('%s', async (_, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })
})

it('refuses aggregates in embeds and spreads unless they are enabled', async () => {
  for (const path of [
    '/tasks?select=count()',
    '/projects?select=name,tasks(id.max())',
    '/tasks?select=...projects(id.sum())',
  ]) {
    expect(await server.request(path)).toMatchObject({
      status: 400,
      json: { code: 'PGRST123', message: 'Use of aggregate functions is not allowed' },
    })
  }
})
