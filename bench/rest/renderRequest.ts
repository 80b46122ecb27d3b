/** A raw keep-alive request (RFC 9112). */
export function renderRequest(o: {
  url: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}): string {
  const { host } = new URL(o.url)
  const lines = Object.entries({ Host: host, ...o.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const body = o.body ?? ''
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return `${o.method} ${o.path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`
}
