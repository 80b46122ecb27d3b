import { createProxies, type Client, type Incoming } from './createProxies.ts'

const clients = new WeakMap<Incoming, Client>()

const defaultProxies = createProxies([])

/** Stores the client of a request. The gateway calls this before any service handles the request. */
export function setClient(incoming: Incoming, client: Client): void {
  clients.set(incoming, client)
}

/**
 * Returns the client of a request, which limits count and sessions record. A service that runs without the gateway
 * trusts the proxies of this machine.
 */
export function clientOf(incoming: Incoming): Client {
  return clients.get(incoming) ?? defaultProxies.clientOf(incoming)
}
