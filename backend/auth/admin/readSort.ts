import { AuthError } from '../http/AuthError.ts'
import type { AuthRequest } from '../http/authenticate.ts'

/**
 * Whether the order is ascending: `sort=created_at asc`. Only the first of several counts, since all name the
 * same column.
 * @throws AuthError 400 validation_failed
 */
export function readAscending(c: AuthRequest): boolean {
  const orders = (c.req.queries('sort') ?? []).map((value) => {
    const [field = '', direction] = value.split(/ (.*)/s, 2)
    const badSort = (what: string): AuthError =>
      new AuthError(400, 'validation_failed', `Bad Sort Parameters: ${what}`)
    if (field !== 'created_at') throw badSort(`bad field for sort '${field}'`)
    const order = (direction ?? 'desc').toLowerCase()
    if (order !== 'asc' && order !== 'desc') {
      throw badSort(`bad direction for sort '${direction}', only 'asc' and 'desc' allowed`)
    }
    return order
  })
  return orders[0] === 'asc'
}
