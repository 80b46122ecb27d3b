import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

const schema = `${fixture}
create table sales (id int primary key, project_id int references projects, amount int, note jsonb);
insert into sales values (1, 1, 10, '{"fee": "1"}'), (2, 1, 30, '{"fee": "2"}'), (3, 2, 5, null), (4, null, 7, null);
create table calls (id int primary key, sale_id int references sales, minutes numeric(5, 1));
insert into calls values (1, 1, 1.5), (2, 1, 2), (3, 3, 4);
grant all on sales, calls to anon;`

let server: RestServer
beforeAll(async () => {
  server = await startRest(schema, { settings: { aggregatesEnabled: true } })
})
afterAll(() => server?.stop())

const get = async (path: string): Promise<unknown> => (await server.request(path)).json

describe('aggregates', () => {
  it.each([
    ['all rows', '/sales?select=count()', [{ count: 4 }]],
    ['under another name', '/sales?select=n:count(),total:amount.sum()', [{ n: 4, total: 52 }]],
    [
      'every function',
      '/sales?select=amount.sum(),amount.avg(),amount.min(),amount.max(),project_id.count()',
      [{ sum: 52, avg: 13, min: 5, max: 30, count: 3 }],
    ],
    ['with a cast of the result', '/sales?select=count()::text,amount.avg()::int', [{ count: '4', avg: 13 }]],
    [
      'with a cast of the argument, and of both',
      '/sales?select=fees:note->>fee::int.sum()::text',
      [{ fees: '3' }],
    ],
    ['of the rows that a filter leaves', '/sales?select=amount.sum()&amount=gt.6', [{ sum: 47 }]],
    ['of no rows', '/sales?select=count(),amount.sum()&id=eq.99', [{ count: 0, sum: null }]],
    [
      'by a column',
      '/sales?select=project_id,amount.sum()&order=project_id.asc.nullsfirst',
      [
        { project_id: null, sum: 7 },
        { project_id: 1, sum: 40 },
        { project_id: 2, sum: 5 },
      ],
    ],
    [
      'by a column that is cast',
      '/sales?select=project_id::text,amount.sum()&project_id=not.is.null&order=project_id.desc',
      [
        { project_id: '2', sum: 5 },
        { project_id: '1', sum: 40 },
      ],
    ],
    ['by a path into JSON', '/sales?select=note->>fee,count()&id=eq.2', [{ fee: '2', count: 1 }]],
    [
      'by an embed',
      '/sales?select=amount.sum(),projects(name)&project_id=eq.1',
      [{ sum: 40, projects: { name: 'Wheel' } }],
    ],
    ['by an embed of many', '/projects?select=id.count(),tasks(name)&id=in.(3,4)', [{ count: 2, tasks: [] }]],
    ['by all columns', '/calls?select=*,count()&id=eq.1', [{ id: 1, sale_id: 1, minutes: 1.5, count: 1 }]],
    [
      'within an embed',
      '/projects?select=name,sales(amount.sum(),n:count())&id=lte.3&order=id',
      [
        { name: 'Wheel', sales: [{ sum: 40, n: 2 }] },
        { name: 'Barn', sales: [{ sum: 5, n: 1 }] },
        { name: 'Fence', sales: [{ sum: null, n: 0 }] },
      ],
    ],
    ['of the rows of a table function', '/rpc/some_projects?select=id.max()', [{ max: 4 }]],
  ])('%s', async (_, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })
})

it('aggregates apply to written rows', async () => {
  const written = await server.request('/sales?select=amount.sum(),count()', {
    method: 'POST',
    headers: { Prefer: 'return=representation, tx=rollback' },
    body: [
      { id: 11, amount: 2 },
      { id: 12, amount: 3 },
    ],
  })
  expect([written.status, written.json]).toEqual([201, [{ sum: 5, count: 2 }]])
})

describe('aggregates of spread embeds', () => {
  it.each([
    [
      'spread into the parent, grouped by its columns',
      '/calls?select=minutes.sum(),...sales(project_id,total:amount.sum())&order=sales(project_id)',
      [
        { sum: 3.5, project_id: 1, total: 20 },
        { sum: 4, project_id: 2, total: 5 },
      ],
    ],
    ['without other columns', '/calls?select=...sales(amount.max())', [{ max: 10 }]],
    [
      'two of the same function',
      '/calls?select=...sales(least:amount.min(),most:amount.max(),n:count())',
      [{ least: 5, most: 10, n: 3 }],
    ],
    ['count(), of existing rows only', '/sales?select=...projects(count())', [{ count: 3 }]],
    [
      'through two spreads',
      '/calls?select=minutes.sum(),...sales(...projects(name,budget:id.sum()))&order=sales(name)',
      [
        { sum: 4, name: 'Barn', budget: 2 },
        { sum: 3.5, name: 'Wheel', budget: 2 },
      ],
    ],
    [
      'in a spread to many, into its list',
      '/projects?select=name,sales(...projects(id.count()))&id=eq.1',
      [{ name: 'Wheel', sales: [{ count: 2 }] }],
    ],
    [
      'beside lists of a spread to many',
      '/sales?select=amount.sum(),...projects(...tasks(task:name))&project_id=eq.1',
      [{ sum: 40, task: ['Draw', 'Build'] }],
    ],
    [
      'grouped by all columns of a spread',
      '/sales?select=amount.sum(),...projects(*)&project_id=eq.2',
      [{ sum: 5, id: 2, name: 'Barn', client_id: 2, owner_id: 2, reviewer_id: 1 }],
    ],
  ])('%s', async (_, path, expected) => {
    expect(await get(path)).toEqual(expected)
  })

  it('are refused for to-many spreads', async () => {
    for (const path of [
      '/projects?select=...sales(amount.sum())',
      '/projects?select=...sales(...projects(id.sum()))',
    ]) {
      expect(await server.request(path)).toMatchObject({
        status: 400,
        json: {
          code: 'PGRST127',
          message: 'Feature not implemented',
          details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.',
        },
      })
    }
  })
})

describe('a limit on a write', () => {
  const raise = (query: string, prefer: string, headers: Record<string, string> = {}) =>
    server.request(`/sales?id=gt.0&${query}`, {
      method: 'PATCH',
      body: { amount: 0 },
      headers: { Prefer: `return=representation, tx=rollback, ${prefer}`, ...headers },
    })

  it.each([
    ['an aggregate makes one row of', 'select=count()', {}],
    ['an inner embed leaves one row of', 'select=id,projects!inner(id)&projects.id=eq.2', {}],
    ['a single object is requested of', 'select=count()', { Accept: 'application/vnd.pgrst.object+json' }],
  ])('counts the affected rows, where %s them', async (_, query, headers: Record<string, string>) => {
    const one = await raise(query, 'handling=strict, max-affected=4', headers)
    expect([one.status, [one.json].flat().length]).toEqual([200, 1])
    expect(await raise(query, 'handling=strict, max-affected=3', headers)).toMatchObject({
      status: 400,
      json: { code: 'PGRST124', details: 'The query affects 4 rows' },
    })
  })

  it('detects that PUT wrote nothing, although a row is returned', async () => {
    const put = { method: 'PUT', body: { id: 98 }, headers: { Prefer: 'return=representation' } }
    expect(await server.request('/sales?id=eq.99&select=count()', put)).toMatchObject({
      status: 400,
      json: { code: 'PGRST115' },
    })
  })
})
