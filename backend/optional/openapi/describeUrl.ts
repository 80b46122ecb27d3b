import type { OpenApiDocument } from './document.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/**
 * The URL of the service: that of its settings (an absolute http URL without a query), else that of the request.
 */
export function describeUrl(
  proxyUri: string | null,
  requested: string,
): Pick<OpenApiDocument, 'host' | 'basePath' | 'schemes'> {
  const url = (proxyUri === null ? null : parseProxyUri(proxyUri)) ?? new URL(requested)
  const scheme = url.protocol.slice(0, -1)
  const port = url.port === '' ? (scheme === 'https' ? '443' : '80') : url.port
  const path = url.pathname.replace(/\/+$/, '')
  return { host: `${url.hostname}:${port}`, basePath: path === '' ? '/' : path, schemes: [scheme] }
}

function parseProxyUri(text: string): URL | null {
  const url = parseUrl(text)
  if (url === null) return null
  const isPlain = url.search === '' && url.username === '' && url.password === ''
  return (url.protocol === 'http:' || url.protocol === 'https:') && isPlain ? url : null
}
