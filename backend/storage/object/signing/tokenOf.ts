import { failures } from '../../failures.ts'
import type { StorageContext } from '../../Storage.ts'

/** The token of a link, from its query. Throws where there is none. */
export function tokenOf(c: StorageContext): string {
  const token = c.req.query('token')
  if (token === undefined) throw failures.invalidBody("querystring must have required property 'token'")
  return token
}
