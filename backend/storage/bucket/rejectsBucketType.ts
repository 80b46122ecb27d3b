import type { IncomingHttpHeaders } from 'node:http'

/** Releases of the Python client from which on a bucket may have a `type`. */
const clients: [header: string, name: RegExp, since: number[]][] = [
  ['x-client-info', /supabase-py\/(\d+)\.(\d+)\.(\d+)/i, [2, 18, 0]],
  ['user-agent', /supabase-py\/storage3 v(\d+)\.(\d+)\.(\d+)/i, [0, 12, 1]],
]

/** Whether a request is of a client that raises an error where a listed bucket has a `type` (upstream's rule). */
export function rejectsBucketType(headers: IncomingHttpHeaders): boolean {
  return clients.some(([header, name, since]) => {
    const version = name
      .exec(String(headers[header] ?? ''))
      ?.slice(1)
      .map(Number)
    if (!version) return false
    const at = version.findIndex((part, index) => part !== since[index])
    return at >= 0 && version[at]! < since[at]!
  })
}
