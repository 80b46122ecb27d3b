import { createFairQueue } from '../runtime/createFairQueue.ts'

/** Work of a caller that waits for its turn. */
export interface CallerWork {
  /** The caller for which it is counted. */
  readonly callerKey: string
  /** Called once for each part: whether it may run after the work of others that does not yield. */
  canYield?(): boolean
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
 * that of others by one part each, and new connections, responses and results of queries by one slice. Work that yields
 * runs when no other waits, and as one of `partsPerBatch` parts while other does.
 */
export function createFairScheduler(): FairScheduler {
  const prompt = createFairQueue<CallerWork>()
  const yielding = createFairQueue<CallerWork>()
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
      const work = count === 0 ? (yielding.next() ?? prompt.next()) : (prompt.next() ?? yielding.next())
      if (!work) break
      if (work.runNext()) add(work)
    }
    if (prompt.size() + yielding.size() === 0) isScheduled = false
    else if (performance.now() >= sliceEnd) schedule()
    // After the promises of these parts, such as those of joins, whose time counts for the slice.
    else queueMicrotask(() => process.nextTick(run))
  }

  const add = (work: CallerWork): void => (work.canYield?.() ? yielding : prompt).add(work.callerKey, work)

  return {
    add(work) {
      add(work)
      if (!isScheduled) schedule()
    },
  }
}
