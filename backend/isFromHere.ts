import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Signs of a proxy: behind one every peer is loopback, so that what is for this machine stays shut. */
const forwardingHeaders = new Set(['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'])

/** Whether an address is of this machine. */
export function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}

/** An address as the database's type takes it: IPv4 as such, and without the zone of link-local ones ("%eth0"). */
export function bareAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '')
}

/**
 * Whether a request comes from a person or program at this machine: a loopback peer that named a loopback host
 * (a rebound name of a stranger's page would not) and that no proxy speaks for.
 */
export function isFromHere(incoming: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  if (!isLoopback(bareAddress(incoming.socket.remoteAddress ?? ''))) return false
  const host = (incoming.headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  if (host !== 'localhost' && !isLoopback(host.replace(/^\[|\]$/g, ''))) return false
  return !Object.keys(incoming.headers).some(
    (name) => name.startsWith('x-forwarded-') || forwardingHeaders.has(name),
  )
}
