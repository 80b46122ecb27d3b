import { BlockList, isIP } from 'node:net'
import { ConfigError } from '../../config/ConfigError.ts'
import type { Config } from '../../config/loadConfig.ts'

/** Destinations that are allowed although they are not public. */
export interface Allowed {
  /** @param host as in URL.hostname, without brackets or a trailing dot */
  host(host: string, port: number): boolean
  address(address: string, port: number): boolean
}

type ToError = (problem: string) => ConfigError

/**
 * Parses `[pg_net] allowed`: addresses ("10.1.2.3", "fd00::1"), networks ("10.0.0.0/8") and host names
 * ("intranet.example"; "*.example" for all subdomains), each with a port ("10.0.0.0/8:8080", "[fd00::/8]:8080") or
 * for all ports. A listed host name is allowed whatever it resolves to. Throws ConfigError.
 */
export function parseAllowed(
  entries: string[],
  toError: ToError = (problem) => new ConfigError(`The list ${problem}`),
): Allowed {
  const parsed = entries.map((entry) => parseEntry(entry, toError))
  const ofPort = (port: number): Entry[] =>
    parsed.filter((entry) => entry.port === null || entry.port === port)
  return {
    host: (host, port) =>
      ofPort(port).some(({ name }) =>
        name?.startsWith('*.') ? host.endsWith(name.slice(1)) : name === host,
      ),
    address: (address, port) =>
      ofPort(port).some(({ network }) => network?.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')),
  }
}

interface Entry {
  name: string | null
  network: BlockList | null
  port: number | null
}

/** Reads a list of destinations, such as `pg_net.allowed`. Throws ConfigError. */
export function readAllowed(config: Config, path: string): Allowed {
  return parseAllowed(config.at<string[]>(path, []), (problem) => config.errorAt(path, problem))
}

function parseEntry(entry: string, toError: ToError): Entry {
  const invalid = (why: string): ConfigError => toError(`contains "${entry}", ${why}`)
  // IPv6 contains colons; with a port it is written in brackets.
  const [, target = '', portText] = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry) ??
    /^([^:]+)(?::(\d+))?$/.exec(entry) ?? [null, entry]
  const port = portText === undefined ? null : Number(portText)
  if (port !== null && (port < 1 || port > 65_535)) throw invalid('whose port is invalid')
  const [address = '', bits] = target.split('/')
  const family = isIP(address)
  if (family === 0) {
    const name = target.toLowerCase()
    if (!/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) || /^[\d.]+$/.test(name)) {
      throw invalid('which is not an address, network or host name')
    }
    return { name, network: null, port }
  }
  const maxPrefix = family === 4 ? 32 : 128
  const prefix = bits === undefined ? maxPrefix : Number(bits)
  if (!/^\d+$/.test(bits ?? '0') || prefix > maxPrefix)
    throw invalid(`whose prefix length is not 0 to ${maxPrefix}`)
  const network = new BlockList()
  network.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  return { name: null, network, port }
}
