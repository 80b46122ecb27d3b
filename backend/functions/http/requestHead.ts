import type { IncomingMessage } from 'node:http'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'

/** Headers that are hop-by-hop (RFC 9110, 7.6.1), or are set by the server. */
const droppedHeaders = new Set([
  'authorization',
  'connection',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-path',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-real-ip',
])

const plainHost = /^[\w.-]+(?::\d+)?$|^\[[\da-f:]+\](?::\d+)?$/i

/** The public origin of this server, else that of the request. */
function originOf(incoming: IncomingMessage, publicUrl: string | null): { protocol: string; host: string } {
  if (publicUrl !== null) {
    const { protocol, host } = new URL(publicUrl)
    return { protocol: protocol.slice(0, -1), host }
  }
  const { host = '' } = incoming.headers
  const protocol = 'encrypted' in incoming.socket ? 'https' : 'http'
  return { protocol, host: plainHost.test(host) ? host : 'localhost' }
}

/**
 * The head of a request for a function, as Latin-1 lines: method, URL, peer, then names and values of headers. The path
 * starts with the function's name, as behind Supabase's gateway; `x-forwarded-*` contain the original values.
 * @param path on this server, `/functions/v1/<name>…` with its query
 */
export function requestHead(
  incoming: IncomingMessage,
  o: { path: string; prefix: string; publicUrl: string | null; authorization: string | null },
): string {
  const { protocol, host } = originOf(incoming, o.publicUrl)
  const { address } = clientOf(incoming)
  const port = /:(\d+)$/.exec(host)?.[1] ?? (protocol === 'https' ? '443' : '80')
  const end = o.path.indexOf('?')
  let head = `${incoming.method}\n${protocol}://${host}${o.path.slice(o.prefix.length - 1)}\n${address} ${incoming.socket.remotePort ?? 0}\nhost\n${host}`
  const raw = incoming.rawHeaders
  let connection = ''
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase()
    if (name === 'connection') connection = raw[i + 1]!.toLowerCase()
    if (!droppedHeaders.has(name)) head += `\n${name}\n${raw[i + 1]!}`
  }
  if (connection !== '' && connection !== 'keep-alive' && connection !== 'close') {
    head = withoutNamed(head, connection)
  }
  if (o.authorization !== null) head += `\nauthorization\n${o.authorization}`
  return `${head}\nx-forwarded-for\n${address}\nx-forwarded-host\n${host}\nx-forwarded-path\n${end < 0 ? o.path : o.path.slice(0, end)}\nx-forwarded-port\n${port}\nx-forwarded-prefix\n${o.prefix}\nx-forwarded-proto\n${protocol}\nx-real-ip\n${address}`
}

/** The head of a request that the server itself sends to a function: a JSON body, with the key of the service role. */
export function invocationHead(name: string, publicUrl: string | null, serviceRoleKey: string): string {
  const { origin, host } = new URL(publicUrl ?? 'http://localhost')
  const headers = { host, 'content-type': 'application/json', authorization: `Bearer ${serviceRoleKey}` }
  return ['POST', `${origin}/${name}`, '127.0.0.1 0', ...Object.entries(headers).flat()].join('\n')
}

/** Removes headers that `Connection` names, which are hop-by-hop too. */
function withoutNamed(head: string, connection: string): string {
  const named = new Set(connection.split(',').map((name) => name.trim()))
  const lines = head.split('\n')
  const result = lines.slice(0, 5)
  for (let i = 5; i < lines.length; i += 2) {
    if (!named.has(lines[i]!)) result.push(lines[i]!, lines[i + 1]!)
  }
  return result.join('\n')
}
