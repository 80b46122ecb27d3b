import { createFairQueue } from '../runtime/createFairQueue.ts'

/** Work of a caller that waits for its turn. */
export interface CallerWork {
  /** The caller for which it is counted. */
  readonly callerKey: string
  /** Does the next part of it; returns whether another one waits. Never throws. */
  runNext(): boolean
}

/** Divides the time of the event loop among callers. */
export interface FairScheduler {
  /** Schedules work until nothing of it waits. */
  add(work: CallerWork): void
}

/** Time for work of all callers between two rounds of the event loop. */
const maxSliceMs = 1
/** Parts whose messages are sent in one write per subscriber. */
const partsPerBatch = 8

/**
 * Runs work round-robin by caller, and that of one caller round-robin by its sources: much work of one caller delays
 * that of others by one part each, and new connections, responses and results of queries by one slice.
 */
export function createFairScheduler(): FairScheduler {
  const waiting = createFairQueue<CallerWork>()
  let isScheduled = false
  let sliceEnd = 0

  const schedule = (): void => {
    isScheduled = true
    setImmediate(() => {
      sliceEnd = performance.now() + maxSliceMs
      run()
    })
  }

  const run = (): void => {
    for (let count = 0; count < partsPerBatch; count++) {
      const work = waiting.next()
      if (!work) break
      if (work.runNext()) waiting.add(work.callerKey, work)
    }
    if (waiting.size() === 0) isScheduled = false
    else if (performance.now() >= sliceEnd) schedule()
    // After the promises of these parts, such as those of joins, whose time counts for the slice.
    else queueMicrotask(() => process.nextTick(run))
  }

  return {
    add(work) {
      waiting.add(work.callerKey, work)
      if (!isScheduled) schedule()
    },
  }
}
