import type { IncomingMessage } from 'node:http'
import { isLocalRequest } from '../../runtime/clientAddress/isLocalRequest.ts'
import { isSameToken } from '../../runtime/isSameToken.ts'

/** Whether a page of another origin sent the request, other than by a link. */
function isCrossOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document'
}

/** Whether a form of the page sent the request. Browsers send the origin with every POST. */
function isOwnForm(incoming: IncomingMessage): boolean {
  const scheme = 'encrypted' in incoming.socket ? 'https' : 'http'
  const { origin, host } = incoming.headers
  const site = incoming.headers['sec-fetch-site']
  return origin === `${scheme}://${host}` && (site === undefined || site === 'same-origin')
}

/**
 * Whether a request can access the administration page: it contains the token, comes from this machine without a proxy
 * and by one of its local host names, and was not sent by a page of another origin.
 */
export function isAuthorized(
  incoming: IncomingMessage | undefined,
  givenToken: string,
  token: string,
): boolean {
  if (incoming === undefined || !isSameToken(givenToken, token)) return false
  if (!isLocalRequest(incoming) || isCrossOrigin(incoming)) return false
  if (incoming.method === 'POST') return isOwnForm(incoming)
  return incoming.method === 'GET' || incoming.method === 'HEAD'
}
