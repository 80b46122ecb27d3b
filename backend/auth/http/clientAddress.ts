import type { IncomingMessage } from 'node:http'
import type { Context, Env } from 'hono'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { QueueKey } from '../limits/createRequestQueue.ts'

/** The part of Node's request that @hono/node-server passes on. */
interface NodeBindings {
  incoming?: IncomingMessage
}

/** The client's IP address, for rate limits and sessions; loopback if it is unknown. */
export function clientAddress<E extends Env>(c: Context<E>): string {
  const { incoming } = (c.env ?? {}) as NodeBindings
  return incoming === undefined ? '127.0.0.1' : clientOf(incoming).address
}

/** The queue key of a request: its client, and its abort signal. */
export function readQueueKey(c: Context<ServiceEnv>): QueueKey {
  return { client: clientAddress(c), signal: c.req.raw.signal }
}
