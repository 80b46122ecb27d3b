import { isIP } from 'node:net'
import { parseAddress } from '../../runtime/clientAddress/parseAddress.ts'
import { portOf, type createOwnEndpoint, type Endpoint } from './ownEndpoint.ts'
import { isPublicAddress } from '../../runtime/clientAddress/isPublicAddress.ts'
import type { Allowed } from './parseAllowed.ts'

/** Where a request is sent: to this server, or to one of several addresses that were all checked. */
export type Destination =
  | { kind: 'server'; endpoint: Endpoint }
  | { kind: 'addresses'; addresses: string[]; host: string; port: number }

/** The destination is not allowed. `message` is for the caller and reveals no address; `why` is for the log. */
export class DestinationRefused extends Error {
  override name = 'Refused'
  readonly host: string
  readonly why: string

  constructor(host: string, why: string) {
    super(
      `Requests to ${host} are refused: it is not a public address. The owner can list it in config.toml.`,
    )
    this.host = host
    this.why = why
  }
}

/** A failed request. The message is curl's, as in pg_net. */
export class RequestError extends Error {
  override name = 'RequestFault'
}

export interface DestinationContext {
  ownEndpoint: ReturnType<typeof createOwnEndpoint>
  allowed: Allowed
  /** All addresses of a host. */
  resolve: (host: string) => Promise<string[]>
}

/** Ports of services that could execute lines of a request as commands: the blocked ports of the Fetch standard. */
const blockedPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * Checks the destination of a URL. A host is resolved once, here, and all its addresses must be public or allowed, since
 * the connection may use any of them. The caller connects to no other address.
 * Throws DestinationRefused, or RequestError for other schemes and unknown hosts.
 */
export async function findDestination(url: URL, context: DestinationContext): Promise<Destination> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new RequestError('Unsupported protocol')
  // The URL parser has already normalised hexadecimal, octal and shortened IPv4 addresses.
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const port = portOf(url)
  const endpoint = context.ownEndpoint.endpointFor(url, host, port)
  if (endpoint) return { kind: 'server', endpoint }
  if (host === '') throw new RequestError('URL using bad/illegal format or missing URL')

  const trusted = context.allowed.host(host, port)
  const addresses = isIP(host) === 0 ? await resolve(host, context) : [host]
  const refused = addresses.find((address) => !trusted && !isAllowed(address, port, context.allowed))
  if (refused !== undefined) throw new DestinationRefused(host, `${refused} is neither public nor listed`)
  return { kind: 'addresses', addresses, host, port }
}

function isAllowed(address: string, port: number, allowed: Allowed): boolean {
  // An IPv4-mapped IPv6 address is checked as IPv4.
  const plain = parseAddress(address)
  if (plain === null) return false
  if (allowed.address(plain, port)) return true
  return isPublicAddress(address) && !blockedPorts.has(port)
}

async function resolve(host: string, context: DestinationContext): Promise<string[]> {
  let addresses: string[]
  try {
    addresses = await context.resolve(host)
  } catch {
    addresses = []
  }
  if (addresses.length === 0) throw new RequestError("Couldn't resolve host name")
  return addresses
}
