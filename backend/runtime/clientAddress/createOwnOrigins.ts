import { hostname, networkInterfaces } from 'node:os'
import { type Incoming, peerOf } from './createProxies.ts'
import { isLoopbackHost } from './isLocalRequest.ts'
import { isLoopback } from './parseAddress.ts'

/** The addresses of a server that has no public address. */
export interface OwnOrigins {
  /**
   * Returns the origin in the address bar of the caller, which the header `Host` names, such as `http://192.168.1.5:4280`.
   * Null if it does not belong to this machine: the header is the caller's choice, and links in mails to others are
   * formed from it.
   */
  ofRequest(incoming: Incoming): string | null
  /** Returns the origin at which other machines of the network reach this one; null if there is none. */
  ofNetwork(): string | null
}

/** The parts of the operating system that name this machine; replaced in tests. */
export interface Machine {
  hostname: () => string
  networkInterfaces: typeof networkInterfaces
}

/** Interfaces of containers and virtual machines, which other machines of the network do not reach. */
const virtualInterface = /^(docker|br-|veth|virbr|vmnet|vboxnet|cni|flannel)/

const formOf = (address: string): string => (address.includes(':') ? `[${address}]` : address)

/**
 * Creates the addresses of a server that listens on all interfaces or on one.
 * @param o.host the address it listens on
 */
export function createOwnOrigins(
  o: { host: string; port: number; isEncrypted: boolean },
  machine: Machine = { hostname, networkInterfaces },
): OwnOrigins {
  const protocol = o.isEncrypted ? 'https' : 'http'
  const usesAllInterfaces = o.host === '0.0.0.0' || o.host === '::'
  const addresses = () =>
    Object.entries(machine.networkInterfaces()).flatMap(([name, found = []]) =>
      found.filter(({ internal }) => !internal).map(({ address, family }) => ({ name, address, family })),
    )

  const isOwn = (host: string): boolean => {
    const own = machine.hostname().toLowerCase()
    return (
      host === own ||
      host === `${own}.local` ||
      host === formOf(o.host) ||
      addresses().some(({ address }) => formOf(address) === host)
    )
  }

  return {
    ofRequest(incoming) {
      let url: URL
      try {
        url = new URL(`${protocol}://${incoming.headers.host ?? ''}`)
      } catch {
        return null
      }
      const port = url.port === '' ? (o.isEncrypted ? 443 : 80) : Number(url.port)
      // A path, a user or a query would be no host.
      if (port !== o.port || url.origin !== url.href.slice(0, -1)) return null
      if (isLoopbackHost(url.hostname)) {
        const peer = incoming.socket.remoteAddress === undefined ? '' : peerOf(incoming)
        return isLoopback(peer) ? url.origin : null
      }
      return isOwn(url.hostname) ? url.origin : null
    },
    ofNetwork() {
      if (!usesAllInterfaces) return null
      const found = addresses().find(({ name, family }) => family === 'IPv4' && !virtualInterface.test(name))
      return found ? new URL(`${protocol}://${found.address}:${o.port}`).origin : null
    },
  }
}
