import { findTable, type PlanOptions, planRequest } from './planRequest.ts'

const READS = ['OPTIONS', 'GET', 'HEAD']

/**
 * The methods that a resource allows, independent of the caller: for tables and views by the possible operations, for
 * functions GET unless they are volatile. Throws PGRST205 and the errors of a call by HEAD.
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

/** The query selects the overload, like for a call. */
function allowedOfRoutine(o: PlanOptions): string[] {
  const plan = planRequest({ ...o, request: { ...o.request, action: 'call', method: 'HEAD' } })
  const isVolatile = plan.kind === 'call' && plan.routine.volatility === 'volatile'
  return isVolatile ? ['OPTIONS', 'POST'] : [...READS, 'POST']
}
