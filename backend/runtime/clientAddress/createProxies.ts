import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { isLoopback, parseAddress } from './parseAddress.ts'

export type Incoming = Pick<IncomingMessage, 'headers' | 'socket'>

/** Who is at the far end of a request. */
export interface Client {
  /** As parseAddress gives it; '127.0.0.1' where a socket has none. */
  address: string
  /** The peer itself, or one whom a trusted proxy named. */
  by: 'peer' | 'proxy'
}

/** Decides whose word about a request's origin is taken. */
export interface Proxies {
  isTrusted(address: string): boolean
  clientOf(incoming: Incoming): Client
}

/** The address that a socket comes from; loopback where it has gone already or has none. */
export function peerOf(incoming: Incoming): string {
  return parseAddress(incoming.socket.remoteAddress ?? '') ?? '127.0.0.1'
}

/** Elements of a list header, the newest (the one that the last proxy added) first. */
function newestFirst(header: string | string[] | undefined): string[] {
  return header === undefined ? [] : String(header).split(',').reverse()
}

/** What `Forwarded` says of each hop (RFC 7239, `for=`), newest first; '' where it names nobody. */
function forwardedFor(header: string | undefined): string[] {
  return newestFirst(header).map((hop) => /(?:^|;)\s*for=("[^"]*"|[^;]*)/i.exec(hop)?.[1] ?? '')
}

/**
 * The hops that headers name, newest first. Proxies write one of the two and pass the other on as the client sent
 * it, so both together are believed only where they agree on who came to the proxy.
 */
function hopsOf({ headers }: Incoming): string[] {
  const usual = newestFirst(headers['x-forwarded-for'])
  const standard = forwardedFor(headers.forwarded)
  if (usual.length === 0) return standard
  if (standard.length === 0 || parseAddress(usual[0]!) === parseAddress(standard[0]!)) return usual
  return []
}

/** Reads "10.0.0.0/8", "fd00::/8" or one address. Null where it is none, or where it would trust everyone. */
function parseRange(text: string): { address: string; prefix: number } | null {
  const [written = '', bits, more] = text.split('/')
  const family = isIP(written)
  if (family === 0 || more !== undefined) return null
  const width = family === 4 ? 32 : 128
  const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : 0
  return prefix >= 1 && prefix <= width ? { address: written, prefix } : null
}

/** Whether `--trusted-proxy` takes the text: an address, or a range of them that is not everyone. */
export function isProxyRange(text: string): boolean {
  return parseRange(text) !== null
}

/**
 * Forwarding headers are anyone's to write, so they are read from the end, where the nearest proxy added what it
 * saw: as long as the hop that wrote an entry is trusted, the entry is. The first that is no trusted proxy is the
 * client; what stands before it is its own claim and would give it a fresh allowance with each request.
 * Host, `X-Forwarded-Host` and `X-Forwarded-Proto` are believed from nobody: where people reach this installation
 * is what `--public-url` says, so that no header can bend a mailed link.
 * @param ranges addresses and CIDR ranges of proxies; this machine's own where there are none
 */
export function createProxies(ranges: readonly string[]): Proxies {
  const list = new BlockList()
  for (const range of ranges) {
    const parsed = parseRange(range)
    if (!parsed) throw new TypeError(`"${range}" is no range of addresses.`)
    list.addSubnet(parsed.address, parsed.prefix, isIP(parsed.address) === 4 ? 'ipv4' : 'ipv6')
  }
  const isTrusted = (address: string): boolean =>
    ranges.length === 0 ? isLoopback(address) : list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

  return {
    isTrusted,
    clientOf(incoming) {
      let address = peerOf(incoming)
      let by: Client['by'] = 'peer'
      if (!isTrusted(address)) return { address, by }
      for (const hop of hopsOf(incoming)) {
        const named = parseAddress(hop)
        // "unknown", a made-up name or nonsense: whoever wrote it is the last that is known.
        if (named === null) break
        address = named
        by = 'proxy'
        if (!isTrusted(named)) break
      }
      return { address, by }
    },
  }
}
