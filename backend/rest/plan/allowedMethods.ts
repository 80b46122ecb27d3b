import { findTable } from './findTable.ts'
import { planRequest } from './planRequest.ts'
import type { PlanOptions } from './planRequest.ts'

const READS = ['OPTIONS', 'GET', 'HEAD']

/**
 * What a resource allows, whoever asks: a table or view what its rows can be made to do, a function a GET
 * unless it is volatile. Throws PGRST205, and what a call by HEAD would be refused with.
 */
export function allowedMethods(o: PlanOptions): string[] {
  const { name, isRoutine, schema } = o.request
  if (isRoutine) return allowedOfRoutine(o)
  if (name === '') return READS
  const { insertable, updatable, deletable, primaryKey } = findTable(o.cache, schema, name, o.role)
  return [
    ...READS,
    ...(insertable ? ['POST'] : []),
    ...(insertable && updatable && primaryKey.length > 0 ? ['PUT'] : []),
    ...(updatable ? ['PATCH'] : []),
    ...(deletable ? ['DELETE'] : []),
  ]
}

/** The query chooses among overloads, as it would for a call. */
function allowedOfRoutine(o: PlanOptions): string[] {
  const plan = planRequest({ ...o, request: { ...o.request, action: 'call', method: 'HEAD' } })
  const isVolatile = plan.kind === 'call' && plan.routine.volatility === 'volatile'
  return isVolatile ? ['OPTIONS', 'POST'] : [...READS, 'POST']
}
