import type { IncomingMessage } from 'node:http'
import type { Context, Env } from 'hono'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'

/** The part of Node's request that @hono/node-server passes on. */
interface NodeBindings {
  incoming?: IncomingMessage
}

/** The client's IP address, for rate limits and sessions; loopback if it is unknown. */
export function clientAddress<E extends Env>(c: Context<E>): string {
  const { incoming } = (c.env ?? {}) as NodeBindings
  return incoming === undefined ? '127.0.0.1' : clientOf(incoming).address
}
