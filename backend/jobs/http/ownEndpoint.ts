import { isLoopbackHost } from '../../runtime/clientAddress/isLocalRequest.ts'
import { hostOf, portOf } from '../../runtime/outbound/sendOutbound.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/** The default port of a local Supabase project. */
const defaultApiPort = 54_321
/** Host names of the gateway in the container network of a local project, and its ports there. */
const gatewayNames = /^(kong|api\.supabase\.internal|supabase_kong_[\w-]+)$/
const gatewayPorts = new Set([8000, 8443])
/** Host names by which a container reaches the machine it runs on. */
const hostMachineNames = new Set([
  'host.docker.internal',
  'gateway.docker.internal',
  'host.containers.internal',
])

/**
 * Recognises URLs of this server: its own addresses, and those that migrations and seeds of local Supabase projects use.
 * @param o.localUrl, o.publicUrl known once the server listens
 * @param o.apiPort of config.toml
 */
export function createOwnEndpoint(o: { localUrl: () => string; publicUrl: () => string; apiPort: number }): {
  /** Of this server's own addresses, on this machine and in public. */
  origins(): string[]
  /** The URL at which this server responds to a URL of this server; null for any other URL. */
  endpointFor(url: URL): URL | null
} {
  const origins = (): string[] => [o.localUrl(), o.publicUrl()].flatMap((url) => parseUrl(url)?.origin ?? [])
  return {
    origins,
    endpointFor(url) {
      const [host, port] = [hostOf(url), portOf(url)]
      const local = parseUrl(o.localUrl())
      if (local === null) return null
      const ownPort = portOf(local)
      const isThisMachine = isLoopbackHost(host) || hostMachineNames.has(host)
      const isThisServer =
        origins().includes(url.origin) ||
        (isThisMachine && [ownPort, o.apiPort, defaultApiPort].includes(port)) ||
        (gatewayNames.test(host) && gatewayPorts.has(port))
      if (!isThisServer) return null
      return new URL(`${url.pathname}${url.search}`, local)
    },
  }
}
