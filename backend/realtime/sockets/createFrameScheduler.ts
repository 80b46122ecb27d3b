import { createFairQueue } from '../../runtime/createFairQueue.ts'

/** A connection whose frames wait. */
export interface FrameSource {
  /** The caller that its frames are counted under. */
  readonly callerKey: string
  /** Handles its next frame; returns whether another one waits. Never throws. */
  handleNext(): boolean
}

export interface FrameScheduler {
  /** Has the frames of a connection handled in turn, until it has none. */
  add(source: FrameSource): void
}

/** What the frames of all connections may take between two rounds of the event loop, which serves all else. */
const maxSliceMs = 1
/** Frames whose messages leave in one write for each reader. */
const framesPerBatch = 8

/**
 * Handles the frames of all connections in turn by caller, and those of one caller in turn by connection: many frames
 * of one caller delay the others by one frame each, and requests over HTTP by a slice.
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
    // After the promises of these frames, such as a join's: what they take belongs to the slice.
    else queueMicrotask(() => process.nextTick(handle))
  }

  return {
    add(source) {
      waiting.add(source.callerKey, source)
      if (!isScheduled) schedule()
    },
  }
}
