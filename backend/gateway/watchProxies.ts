import { peerOf, type Incoming, type Proxies } from '../runtime/clientAddress/createProxies.ts'
import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import type { Logger } from '../logging/logger.ts'

/**
 * Returns a function to call with each request, which warns once of each sign of a misconfigured proxy. Requests are not
 * refused for it, since any client can send these headers.
 */
export function watchProxies(o: {
  proxies: Proxies
  publicUrl: string | null
  /** Whether this server terminates TLS, so that a proxy is not necessary. */
  tls: boolean
  log: Logger
}): (incoming: Incoming) => void {
  const site = o.publicUrl === null ? null : new URL(o.publicUrl)
  const isPublicSite = site !== null && !isLoopbackHost(site.hostname)
  let warnOfMissingHeaders = isPublicSite && !o.tls
  let warnOfUntrustedProxy = true

  return (incoming) => {
    if (!warnOfMissingHeaders && !warnOfUntrustedProxy) return
    const { headers } = incoming
    const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
    if (
      !isForwarded &&
      warnOfMissingHeaders &&
      (headers.host === site!.host || headers.origin === site!.origin)
    ) {
      const peer = peerOf(incoming)
      if (!o.proxies.isTrusted(peer)) return
      warnOfMissingHeaders = false
      o.log.warn('gateway.client_address_missing', {
        proxy: peer,
        fix: 'configure it to send X-Forwarded-For: without it all clients share one limit of sign-ins',
      })
    } else if (isForwarded && warnOfUntrustedProxy) {
      const peer = peerOf(incoming)
      if (o.proxies.isTrusted(peer)) return
      warnOfUntrustedProxy = false
      o.log.warn('gateway.forwarding_headers_ignored', {
        peer,
        fix: 'if it is your proxy, start with --trusted-proxy and its address',
      })
    }
  }
}
