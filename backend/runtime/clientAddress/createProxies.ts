import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { isLoopback, parseAddress } from './parseAddress.ts'

export type Incoming = Pick<IncomingMessage, 'headers' | 'socket'>

/** The client of a request. */
export interface Client {
  /** As parseAddress gives it; '127.0.0.1' where a socket has none. */
  address: string
  /** Whether the address is that of the peer, or was forwarded by a trusted proxy. */
  source: 'peer' | 'proxy'
}

/** Decides which proxies may forward the address of a client. */
export interface Proxies {
  isTrusted(address: string): boolean
  clientOf(incoming: Incoming): Client
}

/** The remote address of a socket; loopback if the socket is closed already or has none. */
export function peerOf(incoming: Incoming): string {
  return parseAddress(incoming.socket.remoteAddress ?? '') ?? '127.0.0.1'
}

/** Elements of a list header, the newest (the one that the last proxy added) first. */
function newestFirst(header: string | string[] | undefined): string[] {
  return header === undefined ? [] : String(header).split(',').reverse()
}

/** The `for=` parameter of each hop in `Forwarded` (RFC 7239), newest first; '' for a hop without one. */
function forwardedFor(header: string | undefined): string[] {
  return newestFirst(header).map((hop) => /(?:^|;)\s*for=("[^"]*"|[^;]*)/i.exec(hop)?.[1] ?? '')
}

/**
 * The hops that headers name, newest first. A proxy writes one of the two headers and forwards the other as the client
 * sent it, so if both are present they count only if they agree on the newest hop.
 */
function hopsOf({ headers }: Incoming): string[] {
  const common = newestFirst(headers['x-forwarded-for'])
  const standard = forwardedFor(headers.forwarded)
  if (common.length === 0) return standard
  if (standard.length === 0 || parseAddress(common[0]!) === parseAddress(standard[0]!)) return common
  return []
}

/** Parses "10.0.0.0/8", "fd00::/8" or one address. Null if it is invalid or contains every address. */
function parseRange(text: string): { address: string; prefix: number } | null {
  const [network = '', bits, rest] = text.split('/')
  const family = isIP(network)
  if (family === 0 || rest !== undefined) return null
  const width = family === 4 ? 32 : 128
  const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : 0
  return prefix >= 1 && prefix <= width ? { address: network, prefix } : null
}

/** Whether `--trusted-proxy` accepts the text: an address, or a range that does not contain every address. */
export function isProxyRange(text: string): boolean {
  return parseRange(text) !== null
}

/**
 * Anyone can send forwarding headers, so they are read from the end, where the nearest proxy added the address of its
 * peer: an entry is trusted if the hop that wrote it is. The first address that is no trusted proxy is the client;
 * entries before it are the client's own, and with them it could evade limits by a new address in each request.
 * Host, `X-Forwarded-Host` and `X-Forwarded-Proto` are never trusted: the public address of this installation is
 * `--public-url` alone, so that no header can change a mailed link.
 * @param ranges addresses and CIDR ranges of proxies; loopback addresses if empty
 */
export function createProxies(ranges: readonly string[]): Proxies {
  const list = new BlockList()
  for (const range of ranges) {
    const parsed = parseRange(range)
    if (!parsed) throw new TypeError(`"${range}" is not an address range.`)
    list.addSubnet(parsed.address, parsed.prefix, isIP(parsed.address) === 4 ? 'ipv4' : 'ipv6')
  }
  const isTrusted = (address: string): boolean =>
    ranges.length === 0 ? isLoopback(address) : list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

  return {
    isTrusted,
    clientOf(incoming) {
      let address = peerOf(incoming)
      let source: Client['source'] = 'peer'
      if (!isTrusted(address)) return { address, source }
      for (const hop of hopsOf(incoming)) {
        const named = parseAddress(hop)
        // "unknown", an obfuscated identifier or an invalid value: the hop that wrote it is the last known address.
        if (named === null) break
        address = named
        source = 'proxy'
        if (!isTrusted(named)) break
      }
      return { address, source }
    },
  }
}
