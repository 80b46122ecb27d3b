import { createTaskQueue } from '../../../runtime/createTaskQueue.ts'
import { errors } from '../../errors.ts'
import type { StorageError } from '../../StorageError.ts'
import type { SourceImage, Plan } from '../planRendering.ts'
import type { ImageKind } from '../detectImageFormat.ts'
import { ImageProcess } from './ImageProcess.ts'
import type { ImageTaskFailure, ImageProcessLimits } from './ImageProcess.ts'
import type { ImageResult } from './imageWorker.ts'

export interface RenderTask {
  /** Who asks, so that nobody's pictures hold up everyone else's. */
  principal: string
  /** The picture's file; made for it by the store of bytes. */
  source: string
  kind: ImageKind
  /** Where the rendering goes. */
  target: string
  plan(picture: SourceImage): Plan
}

/** What was written; 'gone' where the source was taken away meanwhile. */
export type Rendered = { format: Plan['format']; size: number } | 'gone'

export interface Renderer {
  /**
   * Waits for its turn and renders. Throws InvalidRequest for what is no picture or too large a one, and
   * SlowDown where too many wait already.
   */
  render(task: RenderTask): Promise<Rendered>
  /** Its processes that are alive. */
  readonly pids: number[]
  close(): void
}

export interface RendererOptions {
  /** For most pictures, and for those that pass its limits; both work at the same time. */
  processes?: { light: ImageProcessLimits; heavy: ImageProcessLimits }
  /** Tasks that may wait for each of the two, whoever asked. */
  maxQueued?: number
  /** Milliseconds after which nobody waits any more. */
  queueTimeoutMs?: number
  now?: () => number
}

/**
 * Together the house grows by less than 256 MiB while they work, its pages and Node's that they share counted
 * anew each time. Light takes any JPEG that is read line by line; heavy what has to be held as a whole, some 30
 * million pixels of a progressive one, 4 million of AVIF, whose decoder needs most. A second lane keeps a slow
 * picture, or a hundred made to be slow, from holding up everyone's thumbnails.
 */
const defaultLimits = {
  light: { memory: 80_000_000, time: 2500 },
  heavy: { memory: 165_000_000, time: 10_000 },
}

const isResult = (answer: ImageResult | ImageTaskFailure): answer is ImageResult => typeof answer !== 'string'

const toError = (end: ImageTaskFailure): StorageError =>
  ({
    time: errors.renderingTimedOut,
    memory: errors.tooManyPixels,
    crash: errors.notAnImage,
    absent: () => errors.internal(new Error('the process that renders pictures did not start')),
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

function throwFailure(answer: ImageResult): 'gone' {
  const failed = 'failed' in answer ? answer.failed : 'broken'
  if (failed === 'gone') return 'gone'
  throw failed === 'full' ? errors.diskFull() : errors.notAnImage()
}

const isTaskFailure = (done: Rendered | ImageTaskFailure): done is ImageTaskFailure =>
  typeof done === 'string' && done !== 'gone'

/** Renders pictures in two processes of their own, which start when they are wanted. */
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
