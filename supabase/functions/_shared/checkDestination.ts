import { findDestination, DestinationRefused } from '../../../backend/jobs/http/findDestination.ts'
import type { Allowed } from '../../../backend/jobs/http/parseAllowed.ts'
import type { Resolve } from '../../../backend/runtime/outbound/resolveHost.ts'
import { hostOf, portOf, type Destination } from '../../../backend/runtime/outbound/sendOutbound.ts'

/** To which addresses a function sends requests. */
export interface DestinationRules {
  /** Destinations that are permitted although they are not public. */
  allowed: Allowed
  resolve: Resolve
  /**
   * False where the runtime can't connect to a given address. Then only https is requested: a server that a name leads to
   * after the check has no certificate for it.
   */
  isPinned: boolean
}

/** Whether the runtime connects to given addresses: Deno's node:http can't. */
export const canPin = !('deno' in process.versions)

/**
 * The addresses of a public or allowed URL, to which alone the connection may be made; none where it can't be pinned.
 * Rejects others with OutboundError, those with a user or password, and redirects away from TLS.
 * @param redirectedFrom null for the first URL
 */
export async function checkDestination(
  url: URL,
  redirectedFrom: URL | null,
  { allowed, resolve, isPinned }: DestinationRules,
): Promise<Destination> {
  const [host, port] = [hostOf(url), portOf(url)]
  const isListed = allowed.host(host, port) || allowed.address(host, port)
  if (url.username !== '' || url.password !== '') throw new DestinationRefused(host, 'the URL has a user')
  if (!isListed && port !== 80 && port !== 443)
    throw new DestinationRefused(host, `port ${port} is not listed`)
  if (redirectedFrom?.protocol === 'https:' && url.protocol !== 'https:')
    throw new DestinationRefused(host, 'it redirects away from TLS')
  if (!isPinned && url.protocol !== 'https:')
    throw new DestinationRefused(
      host,
      'without TLS, the server can be another one than the one that was checked',
    )
  const destination = await findDestination(url, redirectedFrom, {
    allowed,
    resolve,
    ownEndpoint: { endpointFor: () => null },
  })
  return isPinned ? destination : {}
}
