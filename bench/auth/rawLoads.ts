import { randomBytes } from 'node:crypto'
import { Client, type ClientConfig } from 'pg'
import { Latencies, type Load } from '../rest/Latencies.ts'
import type { Captured, Statement } from './captureStatements.ts'

/** A session that a raw load works on. */
export interface Chain {
  token: string
  session: string
  person: string
}

export interface RawAuthTask {
  kind: 'raw-user' | 'raw-refresh'
  config: ClientConfig
  captured: Captured
  ms: number
  chains: Chain[]
}

/** As many connections as the service's pool has. */
const CONNECTIONS = 4

/**
 * What the service says to the database, by pg alone in this process and in as few flights as its answers allow: the
 * limit of what a service that says the same could reach.
 */
export async function rawAuthLoad({ kind, config, captured, ms, chains }: RawAuthTask): Promise<Load> {
  const clients = Array.from(
    { length: Math.min(CONNECTIONS, chains.length) },
    () => new Client({ ...config, pipeline: true } as ClientConfig),
  )
  await Promise.all(clients.map((client) => client.connect()))
  const idle = [...clients]
  const waiting: ((client: Client) => void)[] = []
  const once = kind === 'raw-user' ? readUser : refresh
  const latencies = new Latencies()
  const until = performance.now() + ms
  const load = await latencies.during(() =>
    Promise.all(
      chains.map(async (chain) => {
        for (let now = performance.now(); now < until;) {
          const begun = now
          const client = idle.pop() ?? (await new Promise<Client>((resolve) => waiting.push(resolve)))
          await once(client, captured, chain)
          const next = waiting.shift()
          if (next) next(client)
          else idle.push(client)
          now = performance.now()
          latencies.add(now - begun)
        }
      }),
    ),
  )
  await Promise.all(clients.map((client) => client.end()))
  return load
}

/** The statement with these values in the place of those that it was told with. */
const withValues = (statement: Statement, instead: Map<unknown, unknown>): Statement => ({
  ...statement,
  values: statement.values.map((value) => (instead.has(value) ? instead.get(value) : value)),
})

async function readUser(client: Client, { user, stands }: Captured, chain: Chain): Promise<void> {
  const instead = new Map([
    [stands.session, chain.session],
    [stands.person, chain.person],
  ])
  await Promise.all(user.map((statement) => client.query(withValues(statement, instead))))
}

/** Two flights: up to the token's state, on which all that follows hangs, and the rest. */
async function refresh(client: Client, { refresh, stands }: Captured, chain: Chain): Promise<void> {
  const at = refresh.findIndex(({ name }) => name === 'auth_refresh_find') + 1
  const next = randomBytes(6).toString('hex')
  const instead = new Map<unknown, unknown>([
    [stands.token, chain.token],
    [stands.next, next],
    [stands.session, chain.session],
    [stands.person, chain.person],
  ])
  const told = await Promise.all(
    refresh.slice(0, at).map((statement) => client.query(withValues(statement, instead))),
  )
  const { token_id: id } = told.at(-1)!.rows[0] as { token_id: string }
  const rest = refresh.slice(at).map((statement) => {
    if (statement.name !== 'auth_refresh_swap') return withValues(statement, instead)
    const values = [...statement.values]
    // Of the row that was found: the one value that no statement was told with.
    values[4] = id
    return withValues({ ...statement, values }, instead)
  })
  await Promise.all(rest.map((statement) => client.query(statement)))
  chain.token = next
}
