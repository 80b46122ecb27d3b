import { createProxies, type Client, type Incoming } from './createProxies.ts'

const settled = new WeakMap<Incoming, Client>()

const loopback = createProxies([])

/** Notes whom a request comes from; the gateway does, before any service sees it. */
export function settleClient(incoming: Incoming, client: Client): void {
  settled.set(incoming, client)
}

/**
 * Whom a request comes from: what limits count and sessions remember. A service that is served without the
 * gateway believes the proxies of this machine.
 */
export function clientOf(incoming: Incoming): Client {
  return settled.get(incoming) ?? loopback.clientOf(incoming)
}
