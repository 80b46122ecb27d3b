import { createCallerSlots } from './createCallerSlots.ts'
import { createFairQueue } from './createFairQueue.ts'

export interface TaskQueue {
  /**
   * Runs `work` when it is the caller's turn. Rejects with an error of `TaskQueueOptions` where it is not run.
   * @param o.signal aborted where the result is no longer wanted
   */
  run<T>(o: { caller: string; signal?: AbortSignal }, work: () => Promise<T>): Promise<T>
}

export interface TaskQueueOptions {
  /** Tasks that run at once. */
  maxConcurrent: number
  /** Tasks that wait. */
  maxWaiting: number
  /** A task that waited longer is not run. */
  maxWaitMs?: number
  /** Whether a caller may run at most as many tasks as it leaves free; see `createCallerSlots`. */
  isShared?: boolean
  errors: {
    /** Where too many tasks wait, or a task waited too long. `waitMs`: how long the queue takes, by its recent tasks. */
    full(waitMs: number): Error
    aborted(): Error
  }
  /** A clock in ms. */
  now?: () => number
}

interface Waiting {
  caller: string
  since: number
  start(): void
  reject(error: Error): void
}

/** What a task takes, in ms, until the first ones have ended. */
const initialMs = 40

/**
 * Tasks of all callers in turn: one with a hundred of them waits behind its own, while another waits for a single one.
 * When the queue is full, the caller with the most tasks loses the last of them.
 */
export function createTaskQueue(o: TaskQueueOptions): TaskQueue {
  const { maxConcurrent, maxWaiting, maxWaitMs = Infinity, errors, now = () => performance.now() } = o
  const slots = createCallerSlots({ max: maxConcurrent, isShared: o.isShared ?? false })
  const waiting = createFairQueue<Waiting>()
  /** A running average. */
  let averageMs = initialMs

  const full = (): Error => errors.full((waiting.size() * averageMs) / maxConcurrent)

  /** Removes the last task of the caller with the most, unless that is `caller` with the one that it adds. */
  const makeRoom = (caller: string): boolean => {
    const largest = waiting.largest()
    if (!largest || largest.count <= waiting.countOf(caller) + 1) return false
    waiting.takeLast(largest.key)!.reject(full())
    return true
  }

  const wait = (caller: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (waiting.size() >= maxWaiting && !makeRoom(caller)) return reject(full())
      const end = (): void => signal?.removeEventListener('abort', abort)
      const one: Waiting = {
        caller,
        since: now(),
        start() {
          end()
          resolve()
        },
        reject(error) {
          end()
          reject(error)
        },
      }
      const abort = (): void => {
        waiting.remove(caller, one)
        one.reject(errors.aborted())
      }
      signal?.addEventListener('abort', abort, { once: true })
      waiting.add(caller, one)
    })

  /** Passes the slot of a task that has ended to the next ones. */
  const end = (caller: string): void => {
    slots.release(caller)
    for (;;) {
      const next = waiting.next(slots.canTake)
      if (!next) return
      if (now() - next.since > maxWaitMs) {
        next.reject(full())
        continue
      }
      slots.take(next.caller)
      next.start()
    }
  }

  return {
    async run({ caller, signal }, work) {
      if (signal?.aborted) throw errors.aborted()
      if (slots.canTake(caller)) slots.take(caller)
      else await wait(caller, signal)
      const began = now()
      try {
        return await work()
      } finally {
        averageMs += (now() - began - averageMs) / 8
        end(caller)
      }
    },
  }
}
