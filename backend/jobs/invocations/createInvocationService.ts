import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { createCallerSlots } from '../../runtime/createCallerSlots.ts'

/** The maximum number of concurrent invocations. */
const maxConcurrent = 32
/** The maximum number of rows that are read at once. Equal ones among them are one invocation. */
const maxRows = 1_000
/**
 * Milliseconds after the start of a function until the queue is read for this function again. Invocations that follow each
 * other closely are merged, so that a burst of messages starts a function ten times a second.
 */
const mergeIntervalMs = 100
/** Milliseconds until a statement is repeated after the database did not respond. */
const retryDelayMs = 1_000
/** Milliseconds that invocations in progress may still take when the server stops. */
const closeTimeoutMs = 5_000

/** Rows of `supabase_functions.invocations` with the same function and body. */
interface Invocation extends Record<string, unknown> {
  name: string
  /** JSON. */
  body: string
  /** bigint */
  ids: string[]
}

export interface InvocationService {
  /** Starts reading the queue. It contains what the last server has not finished. */
  start(): void
  /** Reads the queue again: rows were committed, or may have been. Does nothing before `start`. */
  wake(): void
  /** Stops reading the queue. Invocations that do not end within `timeoutMs` are repeated by the next server. */
  close(timeoutMs?: number): Promise<void>
}

/**
 * Invokes the functions that the database requests by `supabase_functions.invoke`. A row stays in the table until its
 * function has responded, with any status, so that a crash of the server repeats the invocation. One function holds at most as
 * many of the slots as it leaves free, so that a slow function does not delay others.
 * @param o.pool of supabase_functions_admin
 * @param o.invoke runs a function and resolves with the status of its response. Never rejects
 */
export function createInvocationService(o: {
  pool: Pick<Pool, 'query'>
  invoke: (name: string, body: Buffer) => Promise<number>
  log: Logger
}): InvocationService {
  const slots = createCallerSlots({ max: maxConcurrent, isShared: true })
  /** The ids of the rows that are being handled. */
  const active = new Set<string>()
  const runs = new Set<Promise<void>>()
  /** The functions that were started within the last `mergeIntervalMs`. */
  const resting = new Map<string, NodeJS.Timeout>()
  let state: 'new' | 'open' | 'closing' | 'closed' = 'new'
  let retryTimer: NodeJS.Timeout | undefined
  let isReading = false
  /** Whether rows may have been committed since the last statement that reads the queue began. */
  let isOutdated = false
  /** Whether the last read left out rows. */
  let hasMore = false

  const read = async (limit: number, exceptFunctions: string[]): Promise<Invocation[]> => {
    const { rows } = await o.pool.query<Invocation>({
      name: 'invocations_next',
      text: `select q.function_name as name, q.body::text as body, array_agg(q.id::text) as ids
        from (
          select i.id, i.function_name, i.body from supabase_functions.invocations i
          where i.id <> all($1::bigint[]) and i.function_name <> all($2::text[]) order by i.id limit $3
        ) q
        group by q.function_name, q.body order by min(q.id) limit $4`,
      values: [[...active], exceptFunctions, maxRows, limit],
    })
    return rows
  }

  /** Deletes rows, also if the database is unavailable for a while: they would be invoked again. */
  const remove = async (ids: string[]): Promise<void> => {
    for (;;) {
      try {
        await o.pool.query({
          name: 'invocations_delete',
          text: 'delete from supabase_functions.invocations where id = any($1::bigint[])',
          values: [ids],
        })
        return
      } catch (error) {
        if (isDropped(error) || state === 'closed') return
        await new Promise((resolve) => setTimeout(resolve, retryDelayMs).unref())
      }
    }
  }

  const run = async ({ name, body, ids }: Invocation): Promise<void> => {
    const status = await o.invoke(name, Buffer.from(body))
    // The server has ended the function, which the next server invokes again.
    if (state === 'closed') return
    if (status >= 400) o.log.warn('functions.invocation_failed', { function: name, status })
    await remove(ids)
  }

  const rest = (name: string): void => {
    if (resting.has(name)) return
    const timer = setTimeout(() => {
      resting.delete(name)
      if (hasMore) void fill()
    }, mergeIntervalMs)
    timer.unref()
    resting.set(name, timer)
  }

  const start = (invocation: Invocation): void => {
    const { name, ids } = invocation
    slots.take(name)
    for (const id of ids) active.add(id)
    rest(name)
    const running = run(invocation).finally(() => {
      for (const id of ids) active.delete(id)
      slots.release(name)
      runs.delete(running)
      if (hasMore) void fill()
    })
    runs.add(running)
  }

  const startNext = async (): Promise<void> => {
    const free = slots.free()
    const excluded = [...new Set([...slots.saturated(), ...resting.keys()])]
    hasMore = excluded.length > 0 || free === 0
    if (free === 0 || state !== 'open') return
    const invocations = await read(free, excluded)
    if (invocations.length === free) hasMore = true
    for (const invocation of invocations) {
      if (state !== 'open') return
      if (slots.canTake(invocation.name)) start(invocation)
      // The others are read again, without this function's.
      else isOutdated = true
    }
  }

  /** Starts what the queue contains, as far as slots are free. */
  const fill = async (): Promise<void> => {
    isOutdated = true
    if (isReading || state !== 'open') return
    isReading = true
    try {
      do {
        isOutdated = false
        await startNext()
      } while (isOutdated)
    } catch (error) {
      hasMore = true
      if (state === 'open' && !isDropped(error)) {
        o.log.warn('functions.invocations_read_failed', { reason: (error as Error).message })
        clearTimeout(retryTimer)
        retryTimer = setTimeout(() => void fill(), retryDelayMs)
      }
    } finally {
      isReading = false
    }
  }

  return {
    start() {
      state = 'open'
      void fill()
    },
    wake: () => void fill(),
    async close(timeoutMs = closeTimeoutMs) {
      state = 'closing'
      clearTimeout(retryTimer)
      for (const timer of resting.values()) clearTimeout(timer)
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)))
      await Promise.race([Promise.all(runs), timeout])
      clearTimeout(timer)
      state = 'closed'
    },
  }
}

/** The project has dropped the table: there is nothing to do. */
const isDropped = (error: unknown): boolean =>
  ['42P01', '3F000', '42501'].includes((error as { code?: string }).code ?? '')
