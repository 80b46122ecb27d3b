import type { IncomingHttpHeaders } from 'node:http'

/** The first releases of the Python client that accept the `type` of a bucket. */
const clients: [header: string, name: RegExp, since: number[]][] = [
  ['x-client-info', /supabase-py\/(\d+)\.(\d+)\.(\d+)/i, [2, 18, 0]],
  ['user-agent', /supabase-py\/storage3 v(\d+)\.(\d+)\.(\d+)/i, [0, 12, 1]],
]

/** Whether the client fails on a listed bucket that has a `type` (upstream's rule). */
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
