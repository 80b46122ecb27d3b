import { isIP } from 'node:net'
import { isPublicAddress } from '../../../runtime/clientAddress/isPublicAddress.ts'
import { AuthError } from '../../http/AuthError.ts'
import type { Outbound } from '../outbound/createOutbound.ts'

const ownNames = new Set(['localhost', '127.0.0.1', '::1', '0.0.0.0', '::'])

/**
 * Checks that a URL from the API uses TLS and a public address: the holder of a service key must not reach the
 * server's internal network. Throws AuthError 400.
 */
export async function assertPublicUrl(outbound: Outbound, text: string): Promise<void> {
  const refuse = (message: string): AuthError => new AuthError(400, 'validation_failed', message)
  if (text.length > 2048 || !URL.canParse(text)) throw refuse('Invalid URL format')
  const url = new URL(text)
  if (url.protocol !== 'https:') throw refuse('URL must use HTTPS')
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (host === '') throw refuse('URL must have a valid hostname')
  if (ownNames.has(host) || host.endsWith('.localhost')) {
    throw refuse('URL cannot point to localhost or loopback addresses')
  }
  const addresses = isIP(host) === 0 ? await outbound.resolve(host).catch(() => []) : [host]
  if (addresses.length === 0) throw refuse('Unable to resolve hostname')
  if (!addresses.every(isPublicAddress)) throw refuse('URL cannot resolve to private network addresses')
}
