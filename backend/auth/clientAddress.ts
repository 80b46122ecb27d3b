import { isIP } from 'node:net'
import type { Context, Env } from 'hono'
import { bareAddress, isLoopback } from '../isFromHere.ts'

/** The parts of Node's request that @hono/node-server hands on. */
interface NodeBindings {
  incoming?: { socket?: { remoteAddress?: string } }
}

/** Address of whoever opened the connection; null where it can't be known. */
function peerAddress<E extends Env>(c: Context<E>): string | null {
  const address = (c.env as NodeBindings | undefined)?.incoming?.socket?.remoteAddress
  const bare = bareAddress(address ?? '')
  return isIP(bare) === 0 ? null : bare
}

/**
 * The address that a request is counted under. `X-Forwarded-For` is believed only from a proxy on this
 * machine, and of it only the last entry, which that proxy wrote itself: all before it is the client's
 * own claim, and would give everyone a fresh allowance with each request.
 */
export function clientAddress<E extends Env>(c: Context<E>): string {
  const peer = peerAddress(c)
  if (peer === null) return '127.0.0.1'
  if (!isLoopback(peer)) return peer
  const last = c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
  return isIP(last) === 0 ? peer : last
}
