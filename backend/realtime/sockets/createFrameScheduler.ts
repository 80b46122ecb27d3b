import { createFairQueue } from '../../runtime/createFairQueue.ts'

/** A connection with waiting frames. */
export interface FrameSource {
  /** The caller for which its frames are counted. */
  readonly callerKey: string
  /** Handles its next frame; returns whether another one waits. Never throws. */
  handleNext(): boolean
}

export interface FrameScheduler {
  /** Schedules the frames of a connection until it has none. */
  add(source: FrameSource): void
}

/** Time for frames of all connections between two rounds of the event loop. */
const maxSliceMs = 1
/** Frames whose messages are sent in one write per subscriber. */
const framesPerBatch = 8

/**
 * Handles frames round-robin by caller, and those of one caller round-robin by connection: many frames of one caller
 * delay those of others by one frame each, and HTTP requests by one slice.
 */
export function createFrameScheduler(): FrameScheduler {
  const waiting = createFairQueue<FrameSource>()
  let isScheduled = false
  let sliceEnd = 0

  const schedule = (): void => {
    isScheduled = true
    setImmediate(() => {
      sliceEnd = performance.now() + maxSliceMs
      handle()
    })
  }

  const handle = (): void => {
    for (let count = 0; count < framesPerBatch; count++) {
      const source = waiting.next()
      if (!source) break
      if (source.handleNext()) waiting.add(source.callerKey, source)
    }
    if (waiting.size() === 0) isScheduled = false
    else if (performance.now() >= sliceEnd) schedule()
    // After the promises of these frames, such as those of joins, whose time counts for the slice.
    else queueMicrotask(() => process.nextTick(handle))
  }

  return {
    add(source) {
      waiting.add(source.callerKey, source)
      if (!isScheduled) schedule()
    },
  }
}
