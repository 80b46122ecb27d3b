import { Client, type ClientConfig } from 'pg'
import { cancelStatement } from '../../postgres/connections/cancelStatement.ts'
import { CommandQuery, renderFailure } from './CommandQuery.ts'
import type { ClaimedRun, Outcome } from './JobTable.ts'

/** A run under way. */
export interface Execution {
  /** Never rejects. */
  outcome: Promise<Outcome>
  /** Asks PostgreSQL to break off; the outcome says `reason` then, unless it had ended already. */
  cancel(reason: string): void
}

const connectTimeoutMs = 10_000
/** How long a session waits for another run of its user. */
const idleMs = 500

/**
 * Runs commands as the users of their jobs, who log in themselves: what `reset role` leads back to is their own.
 * A session is used again, emptied, while runs of the same user wait; it is closed after that.
 */
export class JobSessions {
  readonly #login: (username: string) => ClientConfig | null
  readonly #idle = new Map<string, Client[]>()
  #ending: NodeJS.Timeout | undefined

  /** @param login how a user logs in; null for one who must not */
  constructor(login: (username: string) => ClientConfig | null) {
    this.#login = login
  }

  /** @param onRunning told of the process of PostgreSQL just before the command is sent */
  run(run: ClaimedRun, onRunning: (pid: number) => Promise<void>): Execution {
    let client: Client | undefined
    let canceled: string | undefined
    const execute = async (): Promise<Outcome> => {
      try {
        client = await this.#open(run)
        await onRunning((client as unknown as { processID: number }).processID)
        if (canceled !== undefined) throw new Error(canceled)
        const query = new CommandQuery(run.command)
        client.query(query as never)
        const message = await query.message
        await this.#keep(run, client).catch(() => client?.end())
        return { succeeded: true, message }
      } catch (error) {
        void client?.end().catch(() => {})
        return {
          succeeded: false,
          message: canceled ?? renderFailure(error as Parameters<typeof renderFailure>[0]),
        }
      }
    }
    return {
      outcome: execute(),
      cancel(reason) {
        canceled = reason
        if (client) void cancelStatement(client)
      },
    }
  }

  /** Closes what waits for another run. */
  async close(): Promise<void> {
    clearTimeout(this.#ending)
    const waiting = Array.from(this.#idle.values()).flat()
    this.#idle.clear()
    await Promise.all(waiting.map((client) => client.end().catch(() => {})))
  }

  async #open({ database, username }: ClaimedRun): Promise<Client> {
    const idle = this.#idle.get(keyOf(database, username))?.pop()
    if (idle) return idle
    const login = this.#login(username)
    if (!login) throw new Error('connection failed')
    const client = new Client({
      ...login,
      database,
      application_name: 'pg_cron',
      connectionTimeoutMillis: connectTimeoutMs,
    })
    // What breaks the connection reaches the query too.
    client.on('error', () => {})
    try {
      await client.connect()
    } catch {
      throw new Error('connection failed')
    }
    return client
  }

  async #keep({ database, username }: ClaimedRun, client: Client): Promise<void> {
    // A transaction that was begun and left open ends with its session, as upstream.
    if (client.getTransactionStatus() !== 'I') return client.end()
    await client.query('discard all')
    const key = keyOf(database, username)
    this.#idle.set(key, [...(this.#idle.get(key) ?? []), client])
    clearTimeout(this.#ending)
    this.#ending = setTimeout(() => void this.close(), idleMs)
  }
}

function keyOf(database: string, username: string): string {
  return JSON.stringify([database, username])
}
