import type { IncomingMessage } from 'node:http'
import type { Context, Env } from 'hono'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'

/** The parts of Node's request that @hono/node-server hands on. */
interface NodeBindings {
  incoming?: IncomingMessage
}

/** The address that a request is counted under and a session remembers; loopback where it can't be known. */
export function clientAddress<E extends Env>(c: Context<E>): string {
  const { incoming } = (c.env ?? {}) as NodeBindings
  return incoming === undefined ? '127.0.0.1' : clientOf(incoming).address
}
