import { Client } from 'pg'
import type { ClientConfig } from 'pg'
import { Latencies } from './Latencies.ts'
import type { Load } from './Latencies.ts'

export interface RawTask {
  kind: 'raw'
  dbUrl: string
  concurrency: number
  ms: number
  /** Whether callers share connections concurrently: faster, but a statement can't be cancelled. */
  isShared?: boolean
  /** Set in each transaction, in this order. */
  settings: [name: string, value: string][]
  /** A statement that the service runs before that of the request. */
  preRequest?: string
  name: string
  text: string
  /** Of each transaction in turn. */
  values: unknown[][]
}

/** As many connections as the server's pool. */
const CONNECTIONS = 16

/**
 * The same transaction by pg alone in this process: BEGIN, the caller's settings, the statement, COMMIT,
 * pipelined and prepared: the limit of what a service on pg could reach. A connection belongs to one caller until the
 * COMMIT has returned, as it must for independent callers; others wait in a queue.
 */
export async function rawLoad(o: RawTask): Promise<Load> {
  const config = { connectionString: o.dbUrl, pipeline: true } as ClientConfig
  const clients = Array.from({ length: Math.min(CONNECTIONS, o.concurrency) }, () => new Client(config))
  await Promise.all(clients.map((client) => client.connect()))
  const calls = o.settings.map((_, i) => `set_config($${i * 2 + 1}, $${i * 2 + 2}, true)`)
  const settings = { name: 'settings', text: `select ${calls.join(', ')}`, values: o.settings.flat() }
  const latencies = new Latencies()
  let sent = 0
  const transact = (client: Client): Promise<unknown> =>
    Promise.all([
      client.query({ name: 'begin', text: 'begin' }),
      client.query(settings),
      o.preRequest && client.query({ name: 'pre-request', text: o.preRequest }),
      client.query({ name: o.name, text: o.text, values: o.values[sent++ % o.values.length]! }),
      client.query({ name: 'commit', text: 'commit' }),
    ])
  // Warms up plans and catalog caches, as in a pool.
  for (let i = 0; i < 10; i++) await Promise.all(clients.map(transact))
  const idle = o.isShared ? [] : [...clients]
  const waiting: ((client: Client) => void)[] = []
  const acquire = (): Client | Promise<Client> =>
    idle.pop() ?? new Promise<Client>((resolve) => waiting.push(resolve))
  const release = (client: Client): void => {
    const next = waiting.shift()
    if (next) next(client)
    else idle.push(client)
  }
  const until = performance.now() + o.ms
  const worker = async (_: unknown, index: number): Promise<void> => {
    const shared = o.isShared ? clients[index % clients.length]! : null
    for (let now = performance.now(); now < until;) {
      const begun = now
      const client = shared ?? (await acquire())
      await transact(client)
      if (!shared) release(client)
      now = performance.now()
      latencies.add(now - begun)
    }
  }
  const load = await latencies.during(() => Promise.all(Array.from({ length: o.concurrency }, worker)))
  await Promise.all(clients.map((client) => client.end()))
  return load
}
