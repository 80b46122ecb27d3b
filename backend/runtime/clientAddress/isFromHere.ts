import { peerOf, type Incoming } from './createProxies.ts'
import { isLoopback } from './parseAddress.ts'

/** Signs of a proxy: behind one every peer is loopback, so that what is for this machine stays shut. */
const forwardingHeaders = new Set(['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'])

/** Whether a host, as a URL or a `Host` header without its port spells it, means this machine wherever it is said. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name.replace(/^\[|\]$/g, ''))
}

/**
 * Whether a request comes from a person or program at this machine: a loopback peer that named a loopback host
 * (a rebound name of a stranger's page would not) and that no proxy speaks for. A proxy that writes no header at
 * all and puts its target's name into `Host` can't be told from a person: what must stay shut behind such a one
 * asks for a secret as well.
 */
export function isFromHere(incoming: Incoming): boolean {
  if (incoming.socket.remoteAddress === undefined || !isLoopback(peerOf(incoming))) return false
  if (!isLoopbackHost((incoming.headers.host ?? '').replace(/:\d+$/, ''))) return false
  return !Object.keys(incoming.headers).some(
    (name) => name.startsWith('x-forwarded-') || forwardingHeaders.has(name),
  )
}
