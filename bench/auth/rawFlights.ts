import { randomBytes } from 'node:crypto'
import { Client, type ClientConfig, type QueryResult } from 'pg'
import type { Captured, Flight, Statement } from './captureStatements.ts'

/** A session that is asked about, or goes from token to token. */
export interface Chain {
  token: string
  session: string
  person: string
}

export interface RawWork {
  deed: 'user' | 'refresh'
  config: ClientConfig
  captured: Captured
}

/** As many connections as the service's pool has. */
const CONNECTIONS = 4

/** What the service says to the database, by pg alone. */
export interface RawFlights {
  /** Does it once, on a connection of its own meanwhile; answers the rows that show the person. */
  run(chain: Chain): Promise<unknown[]>
  close(): Promise<void>
}

/** Opens the connections. A flight is pipelined, as the service writes it in one go. */
export async function openRawFlights({ deed, config, captured }: RawWork): Promise<RawFlights> {
  const clients = Array.from(
    { length: CONNECTIONS },
    () => new Client({ ...config, pipeline: true } as ClientConfig),
  )
  await Promise.all(clients.map((client) => client.connect()))
  const idle = [...clients]
  const waiting: ((client: Client) => void)[] = []
  const once = deed === 'user' ? readUser : refresh
  return {
    async run(chain) {
      const client = idle.pop() ?? (await new Promise<Client>((resolve) => waiting.push(resolve)))
      const rows = await once(client, captured, chain)
      const next = waiting.shift()
      if (next) next(client)
      else idle.push(client)
      return rows
    },
    async close() {
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}

const send = (client: Client, flight: Flight, instead: Map<unknown, unknown>): Promise<QueryResult[]> =>
  Promise.all(flight.map((statement) => client.query(withValues(statement, instead))))

/** The statement with these values in the place of those that it was told with. */
const withValues = (statement: Statement, instead: Map<unknown, unknown>): Statement => ({
  ...statement,
  values: statement.values.map((value) => (instead.has(value) ? instead.get(value) : value)),
})

async function readUser(client: Client, { user, stands }: Captured, chain: Chain): Promise<unknown[]> {
  const instead = new Map([
    [stands.session, chain.session],
    [stands.person, chain.person],
  ])
  const [found] = await send(client, user[0]!, instead)
  return found!.rows
}

/** Two flights: up to the token's state, on which all that follows hangs, and the rest. */
async function refresh(client: Client, { refresh, stands }: Captured, chain: Chain): Promise<unknown[]> {
  const next = randomBytes(6).toString('hex')
  const instead = new Map<unknown, unknown>([
    [stands.token, chain.token],
    [stands.next, next],
    [stands.session, chain.session],
    [stands.person, chain.person],
  ])
  const told = await send(client, refresh[0]!, instead)
  const { rows } = told.at(-1)!
  const { token_id: id } = rows[0] as { token_id: string }
  // Of the row that was found: the one value that no statement was told with.
  instead.set(refresh[1]!.find(({ name }) => name === 'auth_refresh_swap')!.values[4], id)
  await send(client, refresh[1]!, instead)
  chain.token = next
  return rows
}
