import { peerOf, type Incoming, type Proxies } from '../runtime/clientAddress/createProxies.ts'
import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import type { Logger } from '../logging/logger.ts'

/**
 * Answers a function to be shown each request; it says, once each, what a wrong set-up of a proxy looks like from
 * here. Nothing is refused for it: the signs are anyone's to send.
 */
export function watchProxies(o: {
  proxies: Proxies
  publicUrl: string | null
  /** Whether TLS ends here, so that no proxy has to be there. */
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
      o.log.warn('the proxy says for nobody whom it speaks', {
        proxy: peer,
        mend: 'let it write X-Forwarded-For: until then everyone behind it shares one allowance of sign-ins',
      })
    } else if (isForwarded && warnOfUntrustedProxy) {
      const peer = peerOf(incoming)
      if (o.proxies.isTrusted(peer)) return
      warnOfUntrustedProxy = false
      o.log.warn('forwarding headers of a peer that is no trusted proxy were not believed', {
        peer,
        mend: 'if it is your proxy, start with --trusted-proxy and its address',
      })
    }
  }
}
