import { createHmac } from 'node:crypto'
import { isLoopbackHost } from '../runtime/clientAddress/isFromHere.ts'

/**
 * What the figures' address has to bring in its query, or null where none is needed. Once an installation has a
 * public address, something may stand before it that makes strangers look like this machine: nginx as it comes
 * writes no forwarding header and puts its target into `Host`, and a tunnel passes on any `Host`. So from then on
 * being here is not enough. Derived, so that a Prometheus that learns it learns no key, and it outlives restarts.
 */
export function metricsToken(publicUrl: string | null, secretKey: string): string | null {
  if (publicUrl === null || isLoopbackHost(new URL(publicUrl).hostname)) return null
  return createHmac('sha256', secretKey).update('metrics').digest('base64url')
}
