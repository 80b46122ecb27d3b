import { createTaskQueue } from '../../../runtime/createTaskQueue.ts'
import { failures } from '../../failures.ts'
import type { StorageFailure } from '../../StorageFailure.ts'
import type { Picture, Plan } from '../planRendering.ts'
import type { PictureKind } from '../sniffPicture.ts'
import { PictureProcess } from './PictureProcess.ts'
import type { PictureEnd, PictureLimits } from './PictureProcess.ts'
import type { PictureAnswer } from './pictureWork.ts'

export interface RenderTask {
  /** Who asks, so that nobody's pictures hold up everyone else's. */
  by: string
  /** The picture's file; made for it by the store of bytes. */
  source: string
  kind: PictureKind
  /** Where the rendering goes. */
  target: string
  plan(picture: Picture): Plan
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
  lanes?: { light: PictureLimits; heavy: PictureLimits }
  /** Tasks that may wait for each of the two, whoever asked. */
  queue?: number
  /** Milliseconds after which nobody waits any more. */
  patience?: number
  now?: () => number
}

/**
 * Together the house grows by less than 256 MiB while they work, its pages and Node's that they share counted
 * anew each time. Light takes any JPEG that is read line by line; heavy what has to be held as a whole, some 30
 * million pixels of a progressive one, 4 million of AVIF, whose decoder needs most. A second lane keeps a slow
 * picture, or a hundred made to be slow, from holding up everyone's thumbnails.
 */
const usual = {
  light: { memory: 80_000_000, time: 2500 },
  heavy: { memory: 165_000_000, time: 10_000 },
}

const isAnswer = (answer: PictureAnswer | PictureEnd): answer is PictureAnswer => typeof answer !== 'string'

const failureOfEnd = (end: PictureEnd): StorageFailure =>
  ({
    time: failures.renderingTimedOut,
    memory: failures.tooManyPixels,
    crash: failures.notAPicture,
    absent: () => failures.internal(new Error('the process that renders pictures did not start')),
  })[end]()

async function attempt(process: PictureProcess, task: RenderTask): Promise<Rendered | PictureEnd> {
  const described = await process.run({ ask: 'describe', source: task.source, kind: task.kind })
  if (!isAnswer(described)) return described
  if (!('picture' in described)) return refuse(described)
  const plan = task.plan(described.picture)
  const written = await process.run({ ask: 'render', source: task.source, target: task.target, plan })
  if (!isAnswer(written)) return written
  return 'size' in written ? { format: plan.format, size: written.size } : refuse(written)
}

function refuse(answer: PictureAnswer): 'gone' {
  const failed = 'failed' in answer ? answer.failed : 'broken'
  if (failed === 'gone') return 'gone'
  throw failed === 'full' ? failures.diskFull() : failures.notAPicture()
}

const isEnd = (done: Rendered | PictureEnd): done is PictureEnd => typeof done === 'string' && done !== 'gone'

/** Renders pictures in two processes of their own, which start when they are wanted. */
export function createRenderer(o: RendererOptions = {}): Renderer {
  const limits = o.lanes ?? usual
  const queueOptions = {
    maxConcurrent: 1,
    maxWaiting: o.queue ?? 64,
    maxWaitMs: o.patience ?? 15_000,
    now: o.now ?? Date.now,
    errors: { full: failures.tooManyRenderings, aborted: failures.tooManyRenderings },
  }
  const [light, heavy] = [new PictureProcess(limits.light), new PictureProcess(limits.heavy)]
  const [lightQueue, heavyQueue] = [createTaskQueue(queueOptions), createTaskQueue(queueOptions)]
  return {
    async render(task) {
      const done = await lightQueue.run({ caller: task.by }, () => attempt(light, task))
      if (!isEnd(done)) return done
      if (done === 'crash' || done === 'absent') throw failureOfEnd(done)
      const again = await heavyQueue.run({ caller: task.by }, () => attempt(heavy, task))
      if (isEnd(again)) throw failureOfEnd(again)
      return again
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
