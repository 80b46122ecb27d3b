import { parseAddress } from '../../runtime/clientAddress/parseAddress.ts'
import { isPublicAddress } from '../../runtime/outbound/isPublicAddress.ts'
import { resolveHost, type Resolve } from '../../runtime/outbound/resolveHost.ts'
import { hostOf, OutboundError, portOf, type Destination } from '../../runtime/outbound/sendOutbound.ts'
import type { createOwnEndpoint } from './ownEndpoint.ts'
import type { Allowed } from './parseAllowed.ts'
import { publicCommandName } from '../../runtime/commandName.ts'

/** The destination is not allowed. `message` is for the caller and reveals no address; `why` is for the log. */
export class DestinationRefused extends OutboundError {
  override name = 'DestinationRefused'
  readonly host: string
  readonly why: string

  constructor(host: string, why: string) {
    super(
      `Requests to ${host} are refused: it is not a public address. The owner can list it in linnet.toml.`,
      { reason: 'refused' },
    )
    this.host = host
    this.why = why
  }
}

/** Other servers get no requests from a restored copy. The message is stored as the result of the request. */
export class DestinationPaused extends OutboundError {
  override name = 'DestinationPaused'

  constructor() {
    super(
      'Requests to other servers are paused, because this server was restored from a backup. ' +
        `Confirm the restore first: ${publicCommandName()} resume`,
      { reason: 'refused' },
    )
  }
}

export interface DestinationContext {
  /** Whether this server is a restored copy that sends requests to no other server yet. */
  isPaused?: () => boolean
  ownEndpoint: Pick<ReturnType<typeof createOwnEndpoint>, 'endpointFor'>
  allowed: Allowed
  resolve: Resolve
}

/** Ports of services that could execute lines of a request as commands: the blocked ports of the Fetch standard. */
const blockedPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Headers of proxies. In requests to this server, only the server itself sets them. */
const isForwardingHeader = (name: string): boolean =>
  name.startsWith('x-forwarded-') || ['forwarded', 'via', 'x-real-ip'].includes(name)

/**
 * Checks the destination of a URL: this server, or addresses that are all public or allowed, since the connection may
 * use any of them. Throws DestinationRefused, or OutboundError for unknown hosts.
 * @param redirectedFrom null for the URL of the request itself. Another server cannot redirect to this one.
 */
export async function findDestination(
  url: URL,
  redirectedFrom: URL | null,
  context: DestinationContext,
): Promise<Destination> {
  const { endpointFor } = context.ownEndpoint
  const endpoint = redirectedFrom === null || endpointFor(redirectedFrom) ? endpointFor(url) : null
  if (endpoint) {
    return {
      url: endpoint,
      // This is our own port on loopback, and the certificate is issued for the public name.
      rejectUnauthorized: false,
      // The peer is loopback: without this header the request would count as a local one.
      prepareHeaders: (headers) => [
        ...headers.filter(([name]) => !isForwardingHeader(name.toLowerCase())),
        ['Via', '1.1 pg_net'],
      ],
    }
  }
  if (context.isPaused?.()) throw new DestinationPaused()
  const [host, port] = [hostOf(url), portOf(url)]
  const addresses = await resolveHost(url, context.resolve)
  const trusted = context.allowed.host(host, port)
  const refused = addresses.find((address) => !trusted && !isAllowed(address, port, context.allowed))
  if (refused !== undefined) throw new DestinationRefused(host, `${refused} is neither public nor listed`)
  return { addresses }
}

function isAllowed(address: string, port: number, allowed: Allowed): boolean {
  // An IPv4-mapped IPv6 address is checked as IPv4.
  const plain = parseAddress(address)
  if (plain === null) return false
  if (allowed.address(plain, port)) return true
  return isPublicAddress(address) && !blockedPorts.has(port)
}
