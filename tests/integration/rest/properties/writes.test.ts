import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRest } from '../startRest.ts'
import type { RestServer, RestResponse } from '../startRest.ts'
import { timeoutMs, runs } from './runs.ts'

/**
 * A table with random writes, and a Map that predicts its rows. The Map matches the result of
 * each write, and in the end every row.
 */
const schema = `
create table cells (a int, b text, n int default 7, primary key (a, b));
grant all on cells to anon;
`

interface Row {
  a: number
  b: string
  n: number | null
}

type Write =
  | {
      kind: 'insert'
      rows: Row[]
      hasN: boolean
      isCsv: boolean
      resolution: 'merge-duplicates' | 'ignore-duplicates' | null
    }
  | { kind: 'put'; row: Row }
  | { kind: 'update' | 'delete'; a: number; n: number | null; most: number | null; isUndone: boolean }

interface Expected {
  status: number
  range: string | null
}

let server: RestServer
beforeAll(async () => {
  server = await startRest(schema)
})
afterAll(() => server?.stop())

const anyRow: fc.Arbitrary<Row> = fc.record({
  a: fc.integer({ min: 1, max: 3 }),
  b: fc.constantFrom('x', 'y', '"', 'a,b', '\n', 'ü&=', ''),
  n: fc.option(fc.integer({ min: -2, max: 2 })),
})

const anyWrite: fc.Arbitrary<Write> = fc.oneof(
  fc.record({
    kind: fc.constant('insert' as const),
    rows: fc.array(anyRow, { maxLength: 4 }),
    hasN: fc.boolean(),
    isCsv: fc.boolean(),
    resolution: fc.constantFrom('merge-duplicates' as const, 'ignore-duplicates' as const, null),
  }),
  fc.record({ kind: fc.constant('put' as const), row: anyRow }),
  fc.record({
    kind: fc.constantFrom('update' as const, 'delete' as const),
    a: fc.integer({ min: 1, max: 4 }),
    n: fc.option(fc.integer({ min: -2, max: 2 })),
    most: fc.option(fc.integer({ min: 0, max: 3 })),
    isUndone: fc.boolean(),
  }),
)

const keyOf = ({ a, b }: Row): string => JSON.stringify([a, b])

/** What the write should answer, done to `cells` where it should stand. */
function model(cells: Map<string, Row>, write: Write): Expected {
  if (write.kind === 'insert') return modelInsert(cells, write)
  if (write.kind === 'put') {
    const isNew = !cells.has(keyOf(write.row))
    cells.set(keyOf(write.row), write.row)
    return { status: isNew ? 201 : 200, range: null }
  }
  const found = [...cells.values()].filter(({ a }) => a >= write.a)
  if (write.most !== null && found.length > write.most) return { status: 400, range: null }
  if (!write.isUndone) {
    for (const row of found) {
      if (write.kind === 'delete') cells.delete(keyOf(row))
      else cells.set(keyOf(row), { ...row, n: write.n })
    }
  }
  const rows = write.kind === 'delete' || found.length === 0 ? '*' : `0-${found.length - 1}`
  return { status: 204, range: `${rows}/${found.length}` }
}

function modelInsert(cells: Map<string, Row>, write: Extract<Write, { kind: 'insert' }>): Expected {
  const { rows, hasN, resolution } = write
  const keys = rows.map(keyOf)
  const isTwice = new Set(keys).size < keys.length
  const isThere = keys.some((key) => cells.has(key))
  if (resolution === null && (isTwice || isThere)) return { status: 409, range: null }
  if (resolution === 'merge-duplicates' && isTwice) return { status: 500, range: null }
  const before = cells.size
  let written = 0
  for (const row of rows) {
    const old = cells.get(keyOf(row))
    if (old && resolution === 'ignore-duplicates') continue
    const n = hasN ? row.n : old ? old.n : 7
    cells.set(keyOf(row), { ...row, n })
    written++
  }
  const isOld = resolution === 'merge-duplicates' && cells.size === before
  return { status: isOld ? 200 : 201, range: `*/${written}` }
}

function csvOf(rows: Record<string, unknown>[]): string {
  const quoted = (value: unknown): string =>
    value === null ? 'NULL' : `"${String(value).replaceAll('"', '""')}"`
  const lines = rows.map((row) => Object.values(row).map(quoted).join(','))
  return [Object.keys(rows[0] ?? { a: 1, b: 2 }).join(','), ...lines, ''].join('\n')
}

function send(write: Write): Promise<RestResponse> {
  const Prefer = preferOf(write).join(', ')
  if (write.kind === 'insert') {
    const rows = write.rows.map(({ a, b, n }) => (write.hasN ? { a, b, n } : { a, b }))
    const type: Record<string, string> = write.isCsv ? { 'Content-Type': 'text/csv' } : {}
    const body = write.isCsv ? csvOf(rows) : rows
    return server.request('/cells', { method: 'POST', body, headers: { Prefer, ...type } })
  }
  if (write.kind === 'put') {
    const { row } = write
    const path = `/cells?a=eq.${row.a}&b=eq.${encodeURIComponent(row.b)}`
    return server.request(path, { method: 'PUT', body: row, headers: { Prefer } })
  }
  const path = `/cells?a=gte.${write.a}`
  if (write.kind === 'delete') return server.request(path, { method: 'DELETE', headers: { Prefer } })
  return server.request(path, { method: 'PATCH', body: { n: write.n }, headers: { Prefer } })
}

function preferOf(write: Write): string[] {
  if (write.kind === 'put') return ['return=representation']
  if (write.kind === 'insert') {
    return ['count=exact', ...(write.resolution === null ? [] : [`resolution=${write.resolution}`])]
  }
  const most = write.most === null ? [] : ['handling=strict', `max-affected=${write.most}`]
  return ['count=exact', ...most, ...(write.isUndone ? ['tx=rollback'] : [])]
}

it(
  'writes what a simple model of the table predicts',
  async () => {
    const writes = fc.array(anyWrite, { minLength: 1, maxLength: 12 })
    const holds = fc.asyncProperty(writes, async (all) => {
      await server.owner.query('truncate cells')
      const cells = new Map<string, Row>()
      for (const write of all) {
        const expected = model(cells, write)
        const { status, headers } = await send(write)
        expect({ write, status, range: headers.get('Content-Range') }).toEqual({ write, ...expected })
      }
      const { json } = await server.request('/cells?order=a,b')
      const rows = (json as Row[]).map((row) => [keyOf(row), row] as const)
      expect(new Map(rows)).toEqual(cells)
    })
    await fc.assert(holds, { numRuns: runs(30) })
  },
  timeoutMs,
)
