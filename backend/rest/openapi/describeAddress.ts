import type { OpenApiDocument } from './document.ts'

/**
 * Where the service is reached: as its settings say (an absolute http address without a query), else as the
 * request found it.
 */
export function describeAddress(
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
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const isPlain = url.search === '' && url.username === '' && url.password === ''
  return (url.protocol === 'http:' || url.protocol === 'https:') && isPlain ? url : null
}
