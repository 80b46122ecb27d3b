import { peerOf, type Incoming } from './createProxies.ts'
import { isLoopback } from './parseAddress.ts'

/** Headers that show a proxy: behind one on this machine every peer is loopback, so such requests do not count as local. */
const forwardingHeaders = new Set(['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'])

/** Whether a host (of a URL, or of a `Host` header without its port) is a loopback name or address. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name.replace(/^\[|\]$/g, ''))
}

/**
 * Whether a request comes from a person or program on this machine: a loopback peer, a loopback host (which excludes
 * DNS rebinding by pages of other sites) and no header of a proxy. A proxy that writes no header and puts its target's
 * name into `Host` cannot be distinguished from a local client: what must not be reachable through one requires a
 * secret as well.
 */
export function isLocalRequest(incoming: Incoming): boolean {
  if (incoming.socket.remoteAddress === undefined || !isLoopback(peerOf(incoming))) return false
  if (!isLoopbackHost((incoming.headers.host ?? '').replace(/:\d+$/, ''))) return false
  return !Object.keys(incoming.headers).some(
    (name) => name.startsWith('x-forwarded-') || forwardingHeaders.has(name),
  )
}
