import type { Caller } from '../../wire/claims.ts'
import { withNetwork } from '../budgets/callerKey.ts'
import { errors } from './errors.ts'
import type { Storage, StorageContext } from './Storage.ts'

/** The caller: the bearer's subject, else the role of the API key. Throws AccessDenied on an invalid token. */
export async function authenticate(storage: Storage, c: StorageContext): Promise<Caller> {
  const bearer = c.get('bearer')
  if (bearer === null) return c.get('apiCaller')
  const verified = await storage.verifyToken(bearer)
  if (!verified.ok) throw errors.accessDenied(verified.message)
  return withNetwork(verified.caller, c.get('apiCaller'))
}

/** Like `authenticate`, but null for an invalid token: anyone may read from a public bucket. */
export async function authenticateOrNull(storage: Storage, c: StorageContext): Promise<Caller | null> {
  const bearer = c.get('bearer')
  if (bearer === null) return c.get('apiCaller')
  const verified = await storage.verifyToken(bearer)
  return verified.ok ? withNetwork(verified.caller, c.get('apiCaller')) : null
}
