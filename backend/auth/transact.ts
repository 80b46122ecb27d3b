import type pg from 'pg'
import type { Pool } from '../postgres/connections/pool.ts'
import type { AuthContext } from './AuthContext.ts'
import { AuthError } from './http/AuthError.ts'

/** What the runs of one transaction share. */
interface Run {
  /** Whether it runs on the connections that requests without hooks need. */
  isOnMainPool: boolean
  /** Outcomes of calls that were made between two runs, by their keys. */
  outcomes: Map<string, { value: unknown } | { error: unknown }>
  /** What was made by an earlier run. */
  made: Map<string, unknown>
}

/** Ends a run: `prepare` happens without a connection, then the transaction runs again. */
class Interruption extends Error {
  override name = 'Interruption'
  readonly prepare: () => Promise<void>
  readonly pool: Pool | null

  constructor(o: { prepare?: () => Promise<void>; pool?: Pool }) {
    super('The transaction runs again.')
    this.prepare = o.prepare ?? (() => Promise.resolve())
    this.pool = o.pool ?? null
  }
}

/** More runs than any request needs: each hook interrupts once unless its event changes meanwhile. */
const maxRuns = 12
/**
 * How long a transaction on the main pool waits for a lock, in ms, where Postgres functions are hooks: whoever holds
 * the lock may be waiting for one, so the transaction runs again on the connections of hooks and waits there.
 */
const lockTimeout = 10

const runs = new WeakMap<pg.Client, Run>()

/**
 * Runs `work` in a transaction; what it hands to `later` happens only once that is committed. Mails go
 * this way: one that left before a rollback would hold a link to nothing.
 *
 * `work` may run several times. A call to another server (see callOutside) rolls it back and releases its connection
 * and its locks; then it runs again, checks everything again, and finds the outcome of the call. What must be the same
 * in each run is made by `makeOnce`.
 */
export async function transact<T>(
  ctx: AuthContext,
  work: (client: pg.Client, later: (deed: () => void) => void) => Promise<T>,
): Promise<T> {
  let deeds: (() => void)[] = []
  const result = await runInterruptibly(ctx, ctx.pool, (pool, enter) => {
    deeds = []
    return pool.transaction((client) => {
      if (pool === ctx.pool && ctx.hooks.waitingPool) {
        // Not waited for: it goes with the first statement of `work`, which fails where this does.
        client.query(`set local lock_timeout to ${lockTimeout}`).catch(() => {})
      }
      return enter(client, () => work(client, (deed) => deeds.push(deed)))
    })
  })
  for (const deed of deeds) deed()
  return result
}

/**
 * Runs what begins and commits transactions of its own, again where it was interrupted.
 * @param first where it runs at first
 */
export async function runInterruptibly<T>(
  ctx: AuthContext,
  first: Pool,
  run: (pool: Pool, enter: <R>(client: pg.Client, work: () => Promise<R>) => Promise<R>) => Promise<T>,
): Promise<T> {
  const shared: Run = { isOnMainPool: first === ctx.pool, outcomes: new Map(), made: new Map() }
  const enter = async <R>(client: pg.Client, work: () => Promise<R>): Promise<R> => {
    runs.set(client, shared)
    try {
      return await work()
    } finally {
      runs.delete(client)
    }
  }
  let pool = first
  for (let count = 1; count <= maxRuns; count++) {
    shared.isOnMainPool = pool === ctx.pool
    try {
      return await run(pool, enter)
    } catch (error) {
      if (error instanceof Interruption) {
        pool = error.pool ?? pool
        await error.prepare()
      } else if (shared.isOnMainPool && ctx.hooks.waitingPool && isLockTimeout(error)) {
        pool = ctx.hooks.waitingPool
      } else {
        throw error
      }
    }
  }
  throw new AuthError(409, 'conflict', 'The account was changed by other requests meanwhile')
}

/**
 * Calls another server while the transaction of `client` is not there: no connection and no lock waits for it. The
 * transaction then runs again and finds the outcome, also a failure. Outside of `transact` it is simply called.
 * @param key tells what exactly is called for; where that changed meanwhile, it is called again
 */
export async function callOutside<T>(
  client: pg.Client | null,
  key: string,
  call: () => Promise<T>,
): Promise<T> {
  const run = client && runs.get(client)
  if (!run) return call()
  const known = run.outcomes.get(key)
  if (known === undefined) {
    throw new Interruption({
      prepare: async () => {
        run.outcomes.set(
          key,
          await call().then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          ),
        )
      },
    })
  }
  if ('error' in known) throw known.error
  return known.value as T
}

/** Goes on, by running again, on a connection of `pool`, where the transaction of `client` runs on the main one. */
export function leaveMainPool(client: pg.Client, pool: Pool): void {
  if (runs.get(client)?.isOnMainPool) throw new Interruption({ pool })
}

/** Whether `error` ends a run, so that nobody may catch it. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Interruption || isLockTimeout(error)
}

/** What `make` gave in the first run of the transaction of `client`: ids and codes that hooks are told. */
export function makeOnce<T>(client: pg.Client, key: string, make: () => T): T {
  const made = runs.get(client)?.made
  if (!made) return make()
  if (!made.has(key)) made.set(key, make())
  return made.get(key) as T
}

function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '55P03'
}
