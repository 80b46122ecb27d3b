import type { RestRequest } from '../parse/parseRequest.ts'
import { findTable } from '../plan/planRequest.ts'
import { keyOf } from '../schemaCache/schemaCache.ts'
import type { SchemaCache } from '../schemaCache/schemaCache.ts'
import type { Rendered } from './renderAnswer.ts'

/** Answers OPTIONS with what the resource allows. Throws PGRST205. */
export function renderOptions(request: RestRequest, cache: SchemaCache, role: string): Rendered {
  return {
    status: 200,
    headers: { Allow: allowed(request, cache, role), 'Access-Control-Allow-Origin': '*' },
    body: '',
  }
}

function allowed({ name, isRoutine, schema }: RestRequest, cache: SchemaCache, role: string): string {
  if (name === '') return 'OPTIONS,GET,HEAD'
  if (isRoutine) {
    const overloads = cache.routines.get(keyOf(schema, name)) ?? []
    const isVolatile = overloads.every(({ volatility }) => volatility === 'volatile')
    return isVolatile ? 'OPTIONS,POST' : 'OPTIONS,GET,HEAD,POST'
  }
  const table = findTable(cache, schema, name, role)
  const methods = ['OPTIONS', 'GET', 'HEAD']
  if (table.insertable) methods.push('POST')
  if (table.insertable && table.updatable && table.primaryKey.length > 0) methods.push('PUT')
  if (table.updatable) methods.push('PATCH')
  if (table.deletable) methods.push('DELETE')
  return methods.join(',')
}
