import { createHmac } from 'node:crypto'
import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'

/**
 * The token that `/metrics` requires in its query; null if none is needed. An installation with a public address may be
 * behind a proxy that makes remote clients look local: nginx writes no forwarding header by default and puts its target
 * into `Host`, and a tunnel forwards any `Host`. A local request is then not sufficient. The token is derived from the
 * key: it does not reveal the key, and does not change with a restart.
 */
export function metricsToken(publicUrl: string | null, secretKey: string): string | null {
  if (publicUrl === null || isLoopbackHost(new URL(publicUrl).hostname)) return null
  return createHmac('sha256', secretKey).update('metrics').digest('base64url')
}
