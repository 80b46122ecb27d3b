import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostOf, OutboundError } from './sendOutbound.ts'

/** Returns all addresses of a host name. */
export type Resolve = (host: string) => Promise<string[]>

/** All addresses of a host name, by the resolver of the operating system. */
export async function lookupAll(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)
}

/**
 * The addresses of a URL's host, at least one. They are to be checked and passed to sendOutbound: the host is resolved
 * once, so that a second lookup cannot return others. Throws OutboundError.
 */
export async function resolveHost(url: URL, resolve: Resolve): Promise<string[]> {
  // The URL parser has already normalised hexadecimal, octal and shortened IPv4 addresses.
  const host = hostOf(url)
  if (host === '') throw new OutboundError('not a URL', { reason: 'url' })
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host]
  if (addresses.length === 0) throw new OutboundError(`${host} can't be resolved`, { reason: 'unresolved' })
  return addresses
}
