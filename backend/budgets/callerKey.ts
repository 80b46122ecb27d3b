import type { Caller } from '../../wire/claims.ts'

/** What is counted under the service key. */
export const serviceKey = 'service_role'

/**
 * What a caller's budgets are counted under: the person whom a verified token names; for the service key one key, and
 * else the network address (of IPv6 the /64) that the request comes from. Only for claims that were verified: with
 * others anyone could spend the budget of somebody else.
 */
export function callerKey({ role, claims, network, budgetKey }: Caller): string {
  if (budgetKey !== undefined) return budgetKey
  if (role === 'service_role') return serviceKey
  const { sub } = claims
  return typeof sub === 'string' && sub !== '' ? `person ${sub}` : networkKey(network ?? '')
}

/** The same for a request without a person. `network` as `networkOf` gives it. */
export function networkKey(network: string): string {
  return `network ${network}`
}

/** A verified caller, with the network of the request where the token names no person. */
export function withNetwork(caller: Caller, { network }: Caller): Caller {
  return network === undefined || caller.claims.sub ? caller : { ...caller, network }
}
