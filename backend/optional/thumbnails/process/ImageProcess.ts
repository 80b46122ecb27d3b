import { spawn, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { runImageWorker } from './imageWorker.ts'
import type { ImageResult, ImageTask } from './imageWorker.ts'

/**
 * Why a task got no result: it exceeded the time or memory limit, it crashed the process, or no process could be started,
 * which is not caused by the image.
 */
export type ImageTaskFailure = 'time' | 'memory' | 'crash' | 'absent'

export interface ImageProcessLimits {
  /** Maximum RSS of the process in bytes; Node and libvips alone take about 65 million. */
  memory: number
  /** Milliseconds for one task. */
  time: number
}

/** The process ends after this idle time, which frees its memory. */
const idleTimeoutMs = 30_000

/** A lower priority than the server and PostgreSQL, so that thumbnails don't delay messages. */
const niceness = 5

const library = createRequire(import.meta.url).resolve('sharp')

const workerCode = (limit: number): string =>
  `(${runImageWorker.toString()})(require(${JSON.stringify(library)}), require('node:fs/promises').open, ${limit})`

/**
 * A child process for untrusted images, one task at a time, since a crafted image can make a decoder use unlimited
 * memory, run for minutes, or crash. It inherits no environment variables, starts with the first task, and is killed
 * where a task exceeds its limits.
 */
export class ImageProcess {
  readonly #limits: ImageProcessLimits
  #child: ChildProcess | null = null
  #finish: ((result: ImageResult | ImageTaskFailure) => void) | null = null
  #idle: NodeJS.Timeout | undefined

  constructor(limits: ImageProcessLimits) {
    this.#limits = limits
  }

  /** The process's id while there is one. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** One task at a time: the caller awaits the result before the next. */
  run(task: ImageTask): Promise<ImageResult | ImageTaskFailure> {
    clearTimeout(this.#idle)
    const child = (this.#child ??= this.#start())
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(child, 'time'), this.#limits.time)
      this.#finish = (result) => {
        clearTimeout(timer)
        this.#finish = null
        this.#idle = setTimeout(() => this.close(), idleTimeoutMs).unref()
        resolve(result)
      }
      // Where it could not be sent, `exit` or `error` is emitted.
      child.send(task, () => {})
    })
  }

  close(): void {
    if (this.#child) this.#end(this.#child, 'absent')
    clearTimeout(this.#idle)
  }

  #start(): ChildProcess {
    const code = workerCode(this.#limits.memory)
    const child = spawn(process.execPath, ['--max-old-space-size=64', '--no-deprecation', '-e', code], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Returns freed pixels to the system instead of keeping them in one pool for each thread.
      env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' },
      cwd: '/',
    })
    child.on('message', (result: ImageResult) => this.#child === child && this.#finish?.(result))
    child.on('error', () => this.#end(child, 'absent'))
    // It kills itself only for memory, as the kernel does when memory runs out. A normal exit happens only before
    // the first task: the library is missing, or not for this machine.
    child.on('exit', (_code, signal) => {
      this.#end(child, signal === null ? 'absent' : signal === 'SIGKILL' ? 'memory' : 'crash')
    })
    if (child.pid !== undefined) lowerPriority(child.pid)
    return child
  }

  #end(child: ChildProcess, end: ImageTaskFailure): void {
    child.kill('SIGKILL')
    if (this.#child !== child) return
    this.#child = null
    this.#finish?.(end)
  }
}

/** Lowest priority for CPU, and first to be killed when memory runs out. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // The process has exited, or the system does not permit it.
  }
  writeFile(`/proc/${pid}/oom_score_adj`, '1000', () => {})
}
