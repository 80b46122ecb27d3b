import type { Context } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { Turn } from '../limits/createRequestQueue.ts'
import { clientAddress } from './clientAddress.ts'

/** For whom a password is hashed, and until when it is wanted. */
export function turnOf(c: Context<ServiceEnv>): Turn {
  return { client: clientAddress(c), signal: c.req.raw.signal }
}
