import type { IncomingMessage } from 'node:http'
import { isLocalRequest } from '../../runtime/clientAddress/isLocalRequest.ts'
import { isSameToken } from '../../runtime/clientAddress/isSameToken.ts'

/** Whether the browser says that a page of another address asks, otherwise than by leading its reader here. */
function isAskedByOthers({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document'
}

/** Whether a form of ours sent it. Browsers name the origin of every POST. */
function isSentByUs(incoming: IncomingMessage): boolean {
  const scheme = 'encrypted' in incoming.socket ? 'https' : 'http'
  const { origin, host } = incoming.headers
  const site = incoming.headers['sec-fetch-site']
  return origin === `${scheme}://${host}` && (site === undefined || site === 'same-origin')
}

/**
 * Whether a request may see the owner's page: it shows the token, comes from this machine by one of its own names
 * and no proxy, and no page of another address is behind it.
 */
export function isLetIn(incoming: IncomingMessage | undefined, shown: string, token: string): boolean {
  if (incoming === undefined || !isSameToken(shown, token)) return false
  if (!isLocalRequest(incoming) || isAskedByOthers(incoming)) return false
  if (incoming.method === 'POST') return isSentByUs(incoming)
  return incoming.method === 'GET' || incoming.method === 'HEAD'
}
