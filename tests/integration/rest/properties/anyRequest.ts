import { keyOf } from '../../../../backend/rest/schemaCache/qualifiedName.ts'
import type { Routine, SchemaCache, Table } from '../../../../backend/rest/schemaCache/schemaCache.ts'
import { anyKnownQuery } from './anyKnownQuery.ts'
import { encodePairs, printPairs } from './printQuery.ts'
import * as fc from 'fast-check'

/** A request with existing names; its values may not match their types. */
export interface KnownRequest {
  method: string
  path: string
  search: string
  headers: Record<string, string>
  body: string | null
}

/** Requests over all tables, views and relationships of `schema`, and the functions for which `isCalled` is true. */
export function anyRequest(
  cache: SchemaCache,
  schema: string,
  isCalled: (name: string) => boolean,
): fc.Arbitrary<KnownRequest> {
  const tables = [...cache.tables.values()].filter((table) => table.schema === schema)
  const routines = [...cache.routines.values()]
    .flat()
    .filter((routine) => routine.schema === schema && isCalled(routine.name))
  const from = (table: Table): fc.Arbitrary<KnownRequest> => {
    const meaning = anyKnownQuery(cache, table)
    return fc
      .tuple(
        fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'PATCH', 'DELETE'),
        meaning,
        bodyOf(table),
        anyHeaders,
      )
      .map(([method, meaning, body, headers]) => ({
        method,
        path: `/${encodeURIComponent(table.name)}`,
        search: encodePairs(printPairs(method === 'POST' ? { ...meaning, filters: [], logic: [] } : meaning)),
        headers: { ...headers, Prefer: `${headers.Prefer},tx=rollback` },
        body: method === 'POST' || method === 'PATCH' ? JSON.stringify(body) : null,
      }))
  }
  const call = (routine: Routine): fc.Arbitrary<KnownRequest> => {
    const rows = cache.tables.get(keyOf(routine.returns.schema, routine.returns.name))
    const meaning = rows && routine.isComposite ? anyKnownQuery(cache, rows) : fc.constant(null)
    return fc.tuple(meaning, argumentsOf(routine), anyHeaders).map(([meaning, body, headers]) => ({
      method: 'POST',
      path: `/rpc/${encodeURIComponent(routine.name)}`,
      search: meaning === null ? '' : encodePairs(printPairs({ ...meaning, onConflict: null })),
      headers: { ...headers, Prefer: `${headers.Prefer},tx=rollback` },
      body: JSON.stringify(body),
    }))
  }
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...tables).chain(from) },
    { weight: 1, arbitrary: fc.constantFrom(...routines).chain(call) },
  )
}

const anyHeaders = fc.record({
  Accept: fc.constantFrom(
    'application/json',
    'text/csv',
    'application/vnd.pgrst.object+json',
    'application/vnd.pgrst.array+json;nulls=stripped',
  ),
  Prefer: fc
    .tuple(
      fc.constantFrom('return=representation', 'return=minimal', 'return=headers-only'),
      fc.constantFrom('count=exact', 'count=planned', 'count=estimated', 'handling=lenient'),
      fc.constantFrom(
        'missing=default',
        'resolution=merge-duplicates',
        'resolution=ignore-duplicates',
        'missing=null',
      ),
    )
    .map((wanted) => wanted.join(',')),
})

function bodyOf(table: Table): fc.Arbitrary<object> {
  const names = [...table.columns.keys()]
  const row = fc
    .subarray(names)
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, cell]))))
  return fc.oneof(row, fc.array(row, { maxLength: 1 }))
}

function argumentsOf({ parameters }: Routine): fc.Arbitrary<object> {
  return fc.record(Object.fromEntries(parameters.map(({ name }) => [name, cell])))
}

const cell = fc.constantFrom<unknown>(null, 1, 2, 'x', '1', true, ['a'], { k: 1 })
