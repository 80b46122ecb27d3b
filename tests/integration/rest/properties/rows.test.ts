import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRest } from '../startRest.ts'
import type { RestServer } from '../startRest.ts'
import { anyTableQuery } from './anyBirdQuery.ts'
import { birdsSchema } from './birds.ts'
import type { TableName } from './birds.ts'
import { evaluate } from './evaluate.ts'
import type { Answered } from './evaluate.ts'
import type { Meaning } from './parseMeaning.ts'
import { encodePairs, printPairs } from './printQuery.ts'
import { timeoutMs, runs } from './runs.ts'

let server: RestServer
beforeAll(async () => {
  server = await startRest(birdsSchema)
})
afterAll(() => server?.stop())

async function answered(table: TableName, query: Meaning): Promise<unknown> {
  const response = await server.request(`/${table}?${encodePairs(printPairs(query))}`)
  return response.status === 200 ? idsOf(response.json) : `${response.status} ${response.text}`
}

/** The id and the embeds of each row, in the format of evaluate. */
function idsOf(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(idsOf)
  if (json === null || typeof json !== 'object') return json
  const kept = Object.entries(json).filter(([name]) => name === 'id' || /^e\d$/.test(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, idsOf(value)]))
}

it(
  'answers with the rows that the query means',
  async () => {
    let rows = 0
    await fc.assert(
      fc.asyncProperty(anyTableQuery, async ({ table, query }) => {
        const expected = evaluate(query, table)
        rows += expected.length
        expect(await answered(table, query)).toEqual(expected)
      }),
      { numRuns: runs(400) },
    )
    expect(rows).toBeGreaterThan(runs(200))
  },
  timeoutMs,
)

/** An evaluator that treats unknown as false, and its negation as true. */
function withoutUnknown(query: Meaning, table: TableName): Answered[] {
  const isNegated = query.filters.some(({ path, filter }) => path.length === 0 && filter.negated)
  return isNegated ? evaluate({ ...query, filters: [], logic: [] }, table) : evaluate(query, table)
}

it('detects an evaluator with other semantics', async () => {
  const property = fc.asyncProperty(anyTableQuery, async ({ table, query }) => {
    expect(await answered(table, query)).toEqual(withoutUnknown(query, table))
  })
  expect((await fc.check(property, { numRuns: 300, endOnFailure: true })).failed).toBe(true)
})
