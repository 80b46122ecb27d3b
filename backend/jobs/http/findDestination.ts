import { isIP } from 'node:net'
import { parseAddress } from '../../runtime/clientAddress/parseAddress.ts'
import { portOf, type createHouse, type Door } from './createHouse.ts'
import { isPublicAddress } from '../../runtime/clientAddress/isPublicAddress.ts'
import type { Allowed } from './parseAllowed.ts'

/** Where a request goes: to the house itself, or to one of addresses that all have been checked. */
export type Destination =
  | { kind: 'house'; door: Door }
  | { kind: 'addresses'; addresses: string[]; host: string; port: number }

/** It may not go there. `message` is for whoever asked and tells nothing of addresses; `why` is for the log. */
export class Refused extends Error {
  override name = 'Refused'
  readonly host: string
  readonly why: string

  constructor(host: string, why: string) {
    super(`Requests to ${host} are refused: it is no public address. The owner can list it in config.toml.`)
    this.host = host
    this.why = why
  }
}

/** A fault that is told in curl's words, as upstream does. */
export class RequestFault extends Error {
  override name = 'RequestFault'
}

export interface Surroundings {
  house: ReturnType<typeof createHouse>
  allowed: Allowed
  /** All addresses of a name. */
  resolve: (host: string) => Promise<string[]>
}

/** Services that read a line as a command, whatever came before it: the list of the Fetch standard, as browsers'. */
const badPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * Decides on a URL: each name is resolved once, here, and all its answers must be public or allowed, since the
 * connection may go to any of them. The caller connects to no other address.
 * Throws Refused, or RequestFault for other schemes and for names that nobody knows.
 */
export async function findDestination(url: URL, around: Surroundings): Promise<Destination> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new RequestFault('Unsupported protocol')
  // The parser has already written hex, octal, short and wide forms of IPv4 as four decimal numbers.
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const port = portOf(url)
  const door = around.house.doorFor(url, host, port)
  if (door) return { kind: 'house', door }
  if (host === '') throw new RequestFault('URL using bad/illegal format or missing URL')

  const trusted = around.allowed.host(host, port)
  const addresses = isIP(host) === 0 ? await resolve(host, around) : [host]
  const closed = addresses.find((address) => !trusted && !mayReach(address, port, around.allowed))
  if (closed !== undefined) throw new Refused(host, `${closed} is not public and not listed`)
  return { kind: 'addresses', addresses, host, port }
}

function mayReach(address: string, port: number, allowed: Allowed): boolean {
  // Inside of IPv6 an IPv4 address is judged by itself.
  const plain = parseAddress(address)
  if (plain === null) return false
  if (allowed.address(plain, port)) return true
  return isPublicAddress(address) && !badPorts.has(port)
}

async function resolve(host: string, around: Surroundings): Promise<string[]> {
  let addresses: string[]
  try {
    addresses = await around.resolve(host)
  } catch {
    addresses = []
  }
  if (addresses.length === 0) throw new RequestFault("Couldn't resolve host name")
  return addresses
}
