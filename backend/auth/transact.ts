import type pg from 'pg'
import type { Pool } from '../postgres/connections/pool.ts'
import type { TransactionContext } from './AuthContext.ts'
import type { Transaction, TransactionRuns } from './Transaction.ts'
import { AuthError } from './http/AuthError.ts'

/** Ends a run. `prepare` is executed without a connection, then the transaction runs again. */
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

/**
 * The maximum number of runs, which is more than any request needs. Each hook interrupts once, unless its event
 * changes meanwhile.
 */
const maxRuns = 12
/**
 * The lock timeout of transactions on the main pool, in ms, if PostgreSQL functions are hooks. The holder of the lock
 * may be waiting for a connection of this pool. So the transaction runs again on the connections of hooks and waits
 * there.
 */
const lockTimeout = 10

/**
 * Runs `work` in a transaction, then calls the functions that it passed to `tx.afterCommit`.
 *
 * `work` may run several times. A call to another server (see callOutside) rolls the transaction back and releases
 * its connection and locks; then `work` runs again, repeats its checks, and finds the outcome of the call. Values
 * that must be the same in each run are created with `makeOnce`.
 */
export async function transact<T>(
  ctx: TransactionContext,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return runInterruptibly(ctx, ctx.pool, (pool, enter) =>
    pool.transaction((client) => {
      if (pool === ctx.pool && ctx.hooks.waitingPool) {
        // Not awaited: it is sent with the first statement of `work`, which fails if this one does.
        client.query(`set local lock_timeout to ${lockTimeout}`).catch(() => {})
      }
      return enter(client, work)
    }),
  )
}

/**
 * Runs a function that begins and commits its own transactions. Runs it again if it was interrupted.
 * @param first the pool of the first run
 */
export async function runInterruptibly<T>(
  ctx: TransactionContext,
  first: Pool,
  run: (
    pool: Pool,
    enter: <R>(client: pg.Client, work: (tx: Transaction) => Promise<R>) => Promise<R>,
  ) => Promise<T>,
): Promise<T> {
  const runs: TransactionRuns = { isOnMainPool: first === ctx.pool, outcomes: new Map(), made: new Map() }
  let actions: (() => void)[] = []
  const enter = <R>(client: pg.Client, work: (tx: Transaction) => Promise<R>): Promise<R> => {
    actions = []
    return work(createTransaction(client, runs, actions))
  }
  const result = await runUntilCommitted(ctx, first, runs, (pool) => run(pool, enter))
  for (const action of actions) action()
  return result
}

function createTransaction(client: pg.Client, runs: TransactionRuns, actions: (() => void)[]): Transaction {
  return {
    client,
    query: client.query.bind(client) as pg.Client['query'],
    afterCommit: (action) => void actions.push(action),
    runs,
  }
}

async function runUntilCommitted<T>(
  ctx: TransactionContext,
  first: Pool,
  runs: TransactionRuns,
  run: (pool: Pool) => Promise<T>,
): Promise<T> {
  let pool = first
  for (let count = 1; count <= maxRuns; count++) {
    runs.isOnMainPool = pool === ctx.pool
    try {
      return await run(pool)
    } catch (error) {
      if (error instanceof Interruption) {
        pool = error.pool ?? pool
        await error.prepare()
      } else if (runs.isOnMainPool && ctx.hooks.waitingPool && isLockTimeout(error)) {
        pool = ctx.hooks.waitingPool
      } else {
        throw error
      }
    }
  }
  throw new AuthError(409, 'conflict', 'The account was changed by other requests meanwhile')
}

/**
 * Calls another server while the transaction `tx` is rolled back, so that no connection and no lock waits for the
 * call. The transaction then runs again and finds the outcome, which may be an error. Outside of `transact` the call
 * is made directly.
 * @param key identifies the call and its input; if it changes meanwhile, the call is repeated
 */
export async function callOutside<T>(
  tx: Transaction | null,
  key: string,
  call: () => Promise<T>,
): Promise<T> {
  if (!tx) return call()
  const { outcomes } = tx.runs
  const outcome = outcomes.get(key)
  if (outcome === undefined) {
    throw new Interruption({
      prepare: async () => {
        outcomes.set(
          key,
          await call().then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          ),
        )
      },
    })
  }
  if ('error' in outcome) throw outcome.error
  return outcome.value as T
}

/** Runs the transaction `tx` again on a connection of `pool`, if it runs on the main pool. */
export function leaveMainPool(tx: Transaction, pool: Pool): void {
  if (tx.runs.isOnMainPool) throw new Interruption({ pool })
}

/** Whether `error` interrupts a run, and so must not be caught. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Interruption || isLockTimeout(error)
}

/**
 * Returns the value that `make` returned in the first run of the transaction `tx`. Used for ids and codes that hooks
 * receive.
 */
export function makeOnce<T>(tx: Transaction, key: string, make: () => T): T {
  const { made } = tx.runs
  if (!made.has(key)) made.set(key, make())
  return made.get(key) as T
}

function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '55P03'
}
