import { Client } from 'pg'
import type { ClientConfig } from 'pg'
import { Latencies } from './Latencies.ts'
import type { Load } from './Latencies.ts'

export interface RawTask {
  kind: 'raw'
  dbUrl: string
  concurrency: number
  ms: number
  /** Set in each transaction, in this order. */
  settings: [name: string, value: string][]
  name: string
  text: string
  /** Of each transaction in turn. */
  values: unknown[][]
}

/** As many connections as the server's pool has: what runs at once beyond it would only wait. */
const CONNECTIONS = 16

/**
 * The same transaction by pg alone in this process: BEGIN, the caller's settings, the statement, COMMIT,
 * pipelined and prepared: the limit of what a service on pg could reach.
 */
export async function rawLoad(o: RawTask): Promise<Load> {
  const config = { connectionString: o.dbUrl, pipeline: true } as ClientConfig
  const clients = Array.from({ length: Math.min(CONNECTIONS, o.concurrency) }, () => new Client(config))
  await Promise.all(clients.map((client) => client.connect()))
  const calls = o.settings.map((_, i) => `set_config($${i * 2 + 1}, $${i * 2 + 2}, true)`)
  const settings = { name: 'settings', text: `select ${calls.join(', ')}`, values: o.settings.flat() }
  const latencies = new Latencies()
  const until = performance.now() + o.ms
  let sent = 0
  const worker = async (client: Client): Promise<void> => {
    for (let now = performance.now(); now < until;) {
      const begun = now
      await Promise.all([
        client.query({ name: 'begin', text: 'begin' }),
        client.query(settings),
        client.query({ name: o.name, text: o.text, values: o.values[sent++ % o.values.length]! }),
        client.query({ name: 'commit', text: 'commit' }),
      ])
      now = performance.now()
      latencies.add(now - begun)
    }
  }
  const load = await latencies.during(() =>
    Promise.all(Array.from({ length: o.concurrency }, (_, i) => worker(clients[i % clients.length]!))),
  )
  await Promise.all(clients.map((client) => client.end()))
  return load
}
