import { isLoopbackHost } from '../../runtime/clientAddress/isFromHere.ts'

/** Where the house listens for itself. */
export interface Door {
  protocol: 'http:' | 'https:'
  host: string
  port: number
}

/** The port that every local Supabase project has unless it says another. */
const usualPort = 54_321
/** The gateway's names in the network of containers of a local project, and its ports there. */
const gatewayNames = /^(kong|api\.supabase\.internal|supabase_kong_[\w-]+)$/
const gatewayPorts = new Set([8000, 8443])
/** Names that a container has for the machine it runs on. */
const machineNames = new Set(['host.docker.internal', 'gateway.docker.internal', 'host.containers.internal'])

/**
 * Tells the URLs that mean this very server: its addresses, and those that migrations and seeds of local Supabase
 * projects write for theirs.
 * @param o.localUrl, o.publicUrl known once it listens
 * @param o.apiPort of config.toml
 */
export function createHouse(o: { localUrl: () => string; publicUrl: () => string; apiPort: number }): {
  /** The door for this URL, or null where it leads elsewhere. */
  doorFor(url: URL, host: string, port: number): Door | null
} {
  return {
    doorFor(url, host, port) {
      if (!URL.canParse(o.localUrl())) return null
      const local = new URL(o.localUrl())
      const ownPort = portOf(local)
      const isHere = isLoopbackHost(host) || machineNames.has(host)
      const isHouse =
        url.origin === local.origin ||
        (URL.canParse(o.publicUrl()) && url.origin === new URL(o.publicUrl()).origin) ||
        (isHere && [ownPort, o.apiPort, usualPort].includes(port)) ||
        (gatewayNames.test(host) && gatewayPorts.has(port))
      if (!isHouse) return null
      return {
        protocol: local.protocol === 'https:' ? 'https:' : 'http:',
        host: local.hostname.replace(/^\[|\]$/g, ''),
        port: ownPort,
      }
    },
  }
}

/** The port that a URL of http or https leads to. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}
