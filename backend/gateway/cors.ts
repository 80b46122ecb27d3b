import type { IncomingMessage, ServerResponse } from 'node:http'

/** Response headers that scripts of other origins may read, besides the safelisted ones. */
const exposedHeaders = [
  'Content-Disposition',
  'Content-Encoding',
  'Content-Location',
  'Content-Range',
  'Date',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'Proxy-Status',
  'Retry-After',
  'Tus-Checksum-Algorithm',
  'Tus-Complete',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Defer-Length',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'Warning',
  'X-Sb-Error-Code',
  'X-Supabase-Api-Version',
  'X-Total-Count',
  'sb-request-id',
].join(', ')

/**
 * Scripts of any origin may send requests, since no request is authenticated by a cookie: keys and tokens are sent
 * explicitly. Credentials are therefore never allowed.
 */
export function allowAnyOrigin(outgoing: ServerResponse): void {
  outgoing.setHeader('access-control-allow-origin', '*')
  outgoing.setHeader('access-control-expose-headers', exposedHeaders)
}

/** Responds to a CORS preflight request, allowing every method and requested header. */
export function sendPreflight(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const requestedHeaders = incoming.headers['access-control-request-headers']
  outgoing.writeHead(204, {
    'access-control-allow-methods': 'GET, HEAD, PUT, PATCH, POST, DELETE, OPTIONS',
    ...(requestedHeaders && { 'access-control-allow-headers': requestedHeaders }),
    'access-control-max-age': '3600',
    vary: 'Access-Control-Request-Headers',
    'cache-control': 'max-age=3600',
  })
  outgoing.end()
}
