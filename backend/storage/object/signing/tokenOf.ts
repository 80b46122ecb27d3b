import { errors } from '../../errors.ts'
import type { StorageContext } from '../../Storage.ts'

/** The token of a link, from its query. Throws where there is none. */
export function readToken(c: StorageContext): string {
  const token = c.req.query('token')
  if (token === undefined) throw errors.invalidBody("querystring must have required property 'token'")
  return token
}
