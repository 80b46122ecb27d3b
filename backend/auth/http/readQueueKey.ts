import type { Context } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { QueueKey } from '../limits/createRequestQueue.ts'
import { clientAddress } from './clientAddress.ts'

/** The queue key of a request: its client, and its abort signal. */
export function readQueueKey(c: Context<ServiceEnv>): QueueKey {
  return { client: clientAddress(c), signal: c.req.raw.signal }
}
