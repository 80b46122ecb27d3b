import { describe, expect, it } from 'vitest'
import { traceViews } from './traceViews.ts'
import type { ViewRow } from './traceViews.ts'
import { viewPrimaryKey, withViewKeys } from './viewKeys.ts'
import type { CatalogueKey } from './viewKeys.ts'

const PEOPLE = 1
const TASKS = 2

/** A view with named columns and their origins `[table, column]`. */
function view(id: number, name: string, origins: Record<string, [number, number]>): ViewRow {
  const names = Object.keys(origins)
  return {
    id,
    schema: 'public',
    name,
    columns: Object.fromEntries(names.map((each, at) => [at + 1, each])),
    targets: Object.values(origins).map(([originTable, originColumn], at) => ({
      column: at + 1,
      originTable,
      originColumn,
    })),
  }
}

const key: CatalogueKey = {
  constraint: 'owner',
  schema: 'hidden',
  table: 'tasks',
  tableId: TASKS,
  foreignSchema: 'hidden',
  foreignTable: 'people',
  foreignTableId: PEOPLE,
  columns: [
    ['team', 'team'],
    ['owner', 'id'],
  ],
  columnNumbers: [
    [2, 1],
    [3, 2],
  ],
  isUnique: false,
}

const trace = (...views: ViewRow[]) => traceViews(views, () => true)

describe('withViewKeys', () => {
  it('adds keys with a view in place of either table and of both', () => {
    const views = trace(
      view(10, 'jobs', { t: [TASKS, 2], o: [TASKS, 3] }),
      view(11, 'staff', { team: [PEOPLE, 1], no: [PEOPLE, 2] }),
    )
    expect(
      withViewKeys([key], views).map(({ table, foreignTable, columns }) => [table, foreignTable, columns]),
    ).toEqual([
      [
        'tasks',
        'people',
        [
          ['team', 'team'],
          ['owner', 'id'],
        ],
      ],
      [
        'tasks',
        'staff',
        [
          ['team', 'team'],
          ['owner', 'no'],
        ],
      ],
      [
        'jobs',
        'people',
        [
          ['t', 'team'],
          ['o', 'id'],
        ],
      ],
      [
        'jobs',
        'staff',
        [
          ['t', 'team'],
          ['o', 'no'],
        ],
      ],
    ])
  })

  it('adds a key for each combination of repeated columns, and none for a partial key', () => {
    const views = trace(
      view(10, 'jobs', { t1: [TASKS, 2], t2: [TASKS, 2], o1: [TASKS, 3], o2: [TASKS, 3] }),
      view(11, 'half', { t: [TASKS, 2] }),
    )
    const pairs = withViewKeys([key], views).map(({ columns }) => columns.map(([ours]) => ours).join())
    expect(pairs).toEqual(['team,owner', 't1,o1', 't1,o2', 't2,o1', 't2,o2'])
  })
})

describe('traceViews', () => {
  it('follows views of views and stops at cycles', () => {
    const views = [
      view(10, 'one', { a: [TASKS, 1] }),
      view(11, 'two', { b: [10, 1], c: [10, 9] }),
      view(12, 'self', { d: [12, 1] }),
    ]
    expect(traceViews(views, ({ name }) => name !== 'one')).toEqual([
      { schema: 'public', name: 'two', tables: new Map([[TASKS, new Map([[1, ['b']]])]]) },
      { schema: 'public', name: 'self', tables: new Map() },
    ])
  })
})

describe('viewPrimaryKey', () => {
  it('is a complete key with the first name of each column', () => {
    const [shown, half] = trace(
      view(10, 'jobs', { a: [TASKS, 1], b: [TASKS, 2], again: [TASKS, 1] }),
      view(11, 'half', { a: [TASKS, 1] }),
    )
    const keys = new Map([[TASKS, [1, 2]]])
    expect([viewPrimaryKey(shown!, keys), viewPrimaryKey(half!, keys)]).toEqual([['a', 'b'], []])
  })
})
