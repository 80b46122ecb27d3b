import { isPublicAddress } from '../../../runtime/outbound/isPublicAddress.ts'
import { resolveHost } from '../../../runtime/outbound/resolveHost.ts'
import { hostOf } from '../../../runtime/outbound/sendOutbound.ts'
import { invalid } from '../../http/AuthError.ts'
import type { Outbound } from '../createOutbound.ts'

const loopbackHosts = new Set(['localhost', '127.0.0.1', '::1', '0.0.0.0', '::'])

/**
 * Checks that a URL from the API uses TLS and a public address: the holder of a service key must not reach the
 * server's internal network. Throws AuthError 400.
 */
export async function assertPublicUrl(outbound: Outbound, text: string): Promise<void> {
  if (text.length > 2048 || !URL.canParse(text)) throw invalid('Invalid URL format')
  const url = new URL(text)
  if (url.protocol !== 'https:') throw invalid('URL must use HTTPS')
  const host = hostOf(url)
  if (host === '') throw invalid('URL must have a valid hostname')
  if (loopbackHosts.has(host) || host.endsWith('.localhost')) {
    throw invalid('URL cannot point to localhost or loopback addresses')
  }
  const addresses = await resolveHost(url, outbound.resolve).catch(() => [])
  if (addresses.length === 0) throw invalid('Unable to resolve hostname')
  if (!addresses.every(isPublicAddress)) throw invalid('URL cannot resolve to private network addresses')
}
