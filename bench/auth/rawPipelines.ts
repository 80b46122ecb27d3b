import { randomBytes } from 'node:crypto'
import { Client, type ClientConfig, type QueryResult } from 'pg'
import type { Captured, Pipeline, Statement } from './captureStatements.ts'

/** A session that is read or refreshed. */
export interface Chain {
  token: string
  session: string
  person: string
}

export interface RawWork {
  operation: 'user' | 'refresh'
  config: ClientConfig
  captured: Captured
}

/** As many connections as the service's pool has. */
const CONNECTIONS = 4

/** Executes the statements of the service by pg alone. */
export interface RawPipelines {
  /** Executes the operation once on an exclusive connection; returns the rows with the user. */
  run(chain: Chain): Promise<unknown[]>
  close(): Promise<void>
}

/** Opens the connections. Statements of a pipeline are sent together, as by the service. */
export async function openRawPipelines({ operation, config, captured }: RawWork): Promise<RawPipelines> {
  const clients = Array.from(
    { length: CONNECTIONS },
    () => new Client({ ...config, pipeline: true } as ClientConfig),
  )
  await Promise.all(clients.map((client) => client.connect()))
  const idle = [...clients]
  const waiting: ((client: Client) => void)[] = []
  const once = operation === 'user' ? readUser : refresh
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

const send = (
  client: Client,
  pipeline: Pipeline,
  replacements: Map<unknown, unknown>,
): Promise<QueryResult[]> =>
  Promise.all(pipeline.map((statement) => client.query(withValues(statement, replacements))))

/** The statement with replaced values. */
const withValues = (statement: Statement, replacements: Map<unknown, unknown>): Statement => ({
  ...statement,
  values: statement.values.map((value) => (replacements.has(value) ? replacements.get(value) : value)),
})

async function readUser(client: Client, { user, placeholders }: Captured, chain: Chain): Promise<unknown[]> {
  const replacements = new Map([
    [placeholders.session, chain.session],
    [placeholders.person, chain.person],
  ])
  const [found] = await send(client, user[0]!, replacements)
  return found!.rows
}

/** Two pipelines: up to the token's state, which the rest depends on, and the rest. */
async function refresh(
  client: Client,
  { refresh, placeholders }: Captured,
  chain: Chain,
): Promise<unknown[]> {
  const next = randomBytes(6).toString('hex')
  const replacements = new Map<unknown, unknown>([
    [placeholders.token, chain.token],
    [placeholders.next, next],
    [placeholders.session, chain.session],
    [placeholders.person, chain.person],
  ])
  const results = await send(client, refresh[0]!, replacements)
  const { rows } = results.at(-1)!
  const { token_id: id } = rows[0] as { token_id: string }
  // The id of the found row, the only value that is not in the captured statements.
  replacements.set(refresh[1]!.find(({ name }) => name === 'auth_refresh_swap')!.values[4], id)
  await send(client, refresh[1]!, replacements)
  chain.token = next
  return rows
}
