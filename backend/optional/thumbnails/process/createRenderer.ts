import { createTaskQueue } from '../../../runtime/createTaskQueue.ts'
import { errors } from '../../../storage/errors.ts'
import type { StorageError } from '../../../storage/StorageError.ts'
import type { ImageKind, SourceImage, Plan } from '../planRendering.ts'
import { ImageProcess } from './ImageProcess.ts'
import type { ImageTaskFailure, ImageProcessLimits } from './ImageProcess.ts'
import type { ImageResult } from './imageWorker.ts'

export interface RenderTask {
  /** The key of the fair queue, so that one caller's images don't delay those of others. */
  principal: string
  /** The path of the image in the byte store. */
  source: string
  kind: ImageKind
  /** The path to write to. */
  target: string
  plan(picture: SourceImage): Plan
}

/** What was written; 'gone' where the source was deleted meanwhile. */
export type Rendered = { format: Plan['format']; size: number } | 'gone'

export interface Renderer {
  /**
   * Waits in the queue and renders. Throws InvalidRequest for invalid or too large images, and SlowDown where too many
   * tasks wait.
   */
  render(task: RenderTask): Promise<Rendered>
  /** Ids of its running processes. */
  readonly pids: number[]
  close(): void
}

export interface RendererOptions {
  /** For most images, and for those that exceed its limits; both run concurrently. */
  processes?: { light: ImageProcessLimits; heavy: ImageProcessLimits }
  /** Tasks of all callers that may wait for each of the two. */
  maxQueued?: number
  /** Milliseconds that a task may wait. */
  queueTimeoutMs?: number
  now?: () => number
}

/**
 * Both together add less than 256 MiB, with shared pages of Node counted in each. Light renders any baseline JPEG; heavy
 * renders images that must be decoded as a whole, about 30 million pixels of a progressive JPEG or 4 million of AVIF,
 * whose decoder needs most. The second process keeps slow images from delaying all other thumbnails.
 */
const defaultLimits = {
  light: { memory: 80_000_000, time: 2500 },
  heavy: { memory: 165_000_000, time: 10_000 },
}

const isResult = (result: ImageResult | ImageTaskFailure): result is ImageResult => typeof result !== 'string'

const toError = (end: ImageTaskFailure): StorageError =>
  ({
    time: errors.renderingTimedOut,
    memory: errors.tooManyPixels,
    crash: errors.notAnImage,
    absent: () => errors.internal(new Error('the process that renders images did not start')),
  })[end]()

async function attempt(process: ImageProcess, task: RenderTask): Promise<Rendered | ImageTaskFailure> {
  const described = await process.run({ type: 'describe', source: task.source, kind: task.kind })
  if (!isResult(described)) return described
  if (!('image' in described)) return throwFailure(described)
  const plan = task.plan(described.image)
  const written = await process.run({ type: 'render', source: task.source, target: task.target, plan })
  if (!isResult(written)) return written
  return 'size' in written ? { format: plan.format, size: written.size } : throwFailure(written)
}

function throwFailure(result: ImageResult): 'gone' {
  const failed = 'failed' in result ? result.failed : 'broken'
  if (failed === 'gone') return 'gone'
  throw failed === 'full' ? errors.diskFull() : errors.notAnImage()
}

const isTaskFailure = (done: Rendered | ImageTaskFailure): done is ImageTaskFailure =>
  typeof done === 'string' && done !== 'gone'

/** Renders images in two child processes, which start on demand. */
export function createRenderer(o: RendererOptions = {}): Renderer {
  const limits = o.processes ?? defaultLimits
  const queueOptions = {
    maxConcurrent: 1,
    maxWaiting: o.maxQueued ?? 64,
    maxWaitMs: o.queueTimeoutMs ?? 15_000,
    now: o.now ?? Date.now,
    errors: { full: errors.tooManyRenderings, aborted: errors.tooManyRenderings },
  }
  const [light, heavy] = [new ImageProcess(limits.light), new ImageProcess(limits.heavy)]
  const [lightQueue, heavyQueue] = [createTaskQueue(queueOptions), createTaskQueue(queueOptions)]
  return {
    async render(task) {
      const done = await lightQueue.run({ caller: task.principal }, () => attempt(light, task))
      if (!isTaskFailure(done)) return done
      if (done === 'crash' || done === 'absent') throw toError(done)
      const retried = await heavyQueue.run({ caller: task.principal }, () => attempt(heavy, task))
      if (isTaskFailure(retried)) throw toError(retried)
      return retried
    },
    get pids() {
      return [light.pid, heavy.pid].filter((pid) => pid !== undefined)
    },
    close() {
      light.close()
      heavy.close()
    },
  }
}
