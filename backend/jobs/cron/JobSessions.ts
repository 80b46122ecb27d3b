import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { cancelStatement } from '../../postgres/connections/cancelStatement.ts'
import { CommandQuery, renderError } from './CommandQuery.ts'
import type { ClaimedRun, Outcome } from './JobTable.ts'

/** A run in progress. */
export interface Execution {
  /** Never rejects. */
  outcome: Promise<Outcome>
  /** Cancels the statement; the message of the outcome is then `reason`, unless the run had ended already. */
  cancel(reason: string): void
}

const connectTimeoutMs = 10_000
/** After these times a run that has not ended is cancelled again: the first one, and the longest one. */
const [firstWaitMs, maxWaitMs] = [100, 5_000]
/** How long an idle session is kept for another run of its user. */
const idleMs = 500

/**
 * Runs commands in sessions that log in as the users of their jobs, so that `reset role` returns to that user and no
 * other. A session is reused after `discard all` for further runs of the same user, and closed when idle.
 */
export class JobSessions {
  readonly #login: (username: string) => ClientConfig | null
  readonly #idle = new Map<string, Client[]>()
  #idleTimer: NodeJS.Timeout | undefined

  /** @param login how a user logs in; null for one who must not */
  constructor(login: (username: string) => ClientConfig | null) {
    this.#login = login
  }

  /** @param onRunning called with the process ID of the session just before the command is sent */
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
        await this.#returnSession(run, client, () => canceled !== undefined).catch(() => client?.end())
        return { succeeded: true, message }
      } catch (error) {
        void client?.end().catch(() => {})
        return {
          succeeded: false,
          message: canceled ?? renderError(error as Parameters<typeof renderError>[0]),
        }
      }
    }
    const ended = new AbortController()
    const outcome = execute().finally(() => ended.abort())
    // PostgreSQL ignores a request that arrives before the command does.
    const cancelUntilEnd = async (): Promise<void> => {
      for (let waitMs = firstWaitMs; !ended.signal.aborted; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
        if (client) await cancelStatement(client)
        await sleep(waitMs, undefined, { ref: false })
      }
    }
    return {
      outcome,
      cancel(reason) {
        if (canceled === undefined) void cancelUntilEnd()
        canceled = reason
      },
    }
  }

  /** Closes idle sessions. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    const idle = Array.from(this.#idle.values()).flat()
    this.#idle.clear()
    await Promise.all(idle.map((client) => client.end().catch(() => {})))
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
    // The query rejects with the same error.
    client.on('error', () => {})
    try {
      await client.connect()
    } catch {
      throw new Error('connection failed')
    }
    return client
  }

  async #returnSession(
    { database, username }: ClaimedRun,
    client: Client,
    isCanceled: () => boolean,
  ): Promise<void> {
    // A transaction that the command left open ends with its session, as in pg_cron.
    if (client.getTransactionStatus() !== 'I') return client.end()
    await client.query('discard all')
    // A request to cancel the run could still arrive, and would cancel the statement of another run.
    if (isCanceled()) return client.end()
    const key = keyOf(database, username)
    this.#idle.set(key, [...(this.#idle.get(key) ?? []), client])
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => void this.close(), idleMs)
  }
}

function keyOf(database: string, username: string): string {
  return JSON.stringify([database, username])
}
