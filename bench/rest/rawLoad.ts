import { Client } from 'pg'
import type { ClientConfig, QueryConfig } from 'pg'

/** As many connections as the server's pool has: what runs at once beyond it would only wait. */
const CONNECTIONS = 16

/**
 * The same transaction by pg alone in this process: BEGIN, the caller's settings, the statement, COMMIT,
 * pipelined and prepared. Answers transactions a second: the limit of what a service on pg could reach.
 */
export async function rawLoad(o: {
  dbUrl: string
  concurrency: number
  ms: number
  settings: Record<string, string>
  next: (n: number) => QueryConfig
}): Promise<number> {
  const config = { connectionString: o.dbUrl, pipeline: true } as ClientConfig
  const clients = Array.from({ length: Math.min(CONNECTIONS, o.concurrency) }, () => new Client(config))
  await Promise.all(clients.map((client) => client.connect()))
  const values = Object.entries(o.settings).flat()
  const calls = Object.keys(o.settings).map((_, i) => `set_config($${i * 2 + 1}, $${i * 2 + 2}, true)`)
  const settings = { name: 'settings', text: `select ${calls.join(', ')}`, values }
  const until = performance.now() + o.ms
  let sent = 0
  let done = 0
  const worker = async (client: Client): Promise<void> => {
    while (performance.now() < until) {
      await Promise.all([
        client.query({ name: 'begin', text: 'begin' }),
        client.query(settings),
        client.query(o.next(sent++)),
        client.query({ name: 'commit', text: 'commit' }),
      ])
      done++
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: o.concurrency }, (_, i) => worker(clients[i % clients.length]!)))
  const rate = (done * 1000) / (performance.now() - begun)
  await Promise.all(clients.map((client) => client.end()))
  return rate
}
