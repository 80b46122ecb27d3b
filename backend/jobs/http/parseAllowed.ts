import { BlockList, isIP } from 'node:net'
import { ConfigError } from '../../config/ConfigError.ts'

/** Where requests may go although it is no public place. */
export interface Allowed {
  /** @param host as URL.hostname gives it, without brackets or the dot at its end */
  host(host: string, port: number): boolean
  address(address: string, port: number): boolean
}

/**
 * Reads `[pg_net] allowed`: addresses ("10.1.2.3", "fd00::1"), networks ("10.0.0.0/8") and names
 * ("intranet.example"; "*.example" for all below it), each with a port ("10.0.0.0/8:8080", "[fd00::/8]:8080") or
 * for all of them. A name is trusted with whatever it leads to. Throws ConfigError.
 */
export function parseAllowed(entries: string[]): Allowed {
  const parsed = entries.map(parseEntry)
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

function parseEntry(entry: string): Entry {
  const bad = (why: string): ConfigError =>
    new ConfigError(`config.toml: pg_net.allowed holds "${entry}", ${why}.`)
  // Bare IPv6 has colons of its own; with a port it stands in brackets.
  const [, place = '', portText] = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry) ??
    /^([^:]+)(?::(\d+))?$/.exec(entry) ?? [null, entry]
  const port = portText === undefined ? null : Number(portText)
  if (port !== null && (port < 1 || port > 65_535)) throw bad('whose port is none')
  const [address = '', bits] = place.split('/')
  const family = isIP(address)
  if (family === 0) {
    const name = place.toLowerCase()
    if (!/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) || /^[\d.]+$/.test(name)) {
      throw bad('which is no address, network or name')
    }
    return { name, network: null, port }
  }
  const most = family === 4 ? 32 : 128
  const prefix = bits === undefined ? most : Number(bits)
  if (!/^\d+$/.test(bits ?? '0') || prefix > most) throw bad(`whose network is not of 0 to ${most} bits`)
  const network = new BlockList()
  network.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  return { name: null, network, port }
}
