import { isLoopbackHost } from '../../runtime/clientAddress/isLocalRequest.ts'

/** Where this server listens. */
export interface Endpoint {
  protocol: 'http:' | 'https:'
  host: string
  port: number
}

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
  /** Where to connect for a URL of this server; null for any other URL. */
  endpointFor(url: URL, host: string, port: number): Endpoint | null
} {
  return {
    endpointFor(url, host, port) {
      if (!URL.canParse(o.localUrl())) return null
      const local = new URL(o.localUrl())
      const ownPort = portOf(local)
      const isThisMachine = isLoopbackHost(host) || hostMachineNames.has(host)
      const isThisServer =
        url.origin === local.origin ||
        (URL.canParse(o.publicUrl()) && url.origin === new URL(o.publicUrl()).origin) ||
        (isThisMachine && [ownPort, o.apiPort, defaultApiPort].includes(port)) ||
        (gatewayNames.test(host) && gatewayPorts.has(port))
      if (!isThisServer) return null
      return {
        protocol: local.protocol === 'https:' ? 'https:' : 'http:',
        host: local.hostname.replace(/^\[|\]$/g, ''),
        port: ownPort,
      }
    },
  }
}

/** The port of an http or https URL, explicit or default. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}
