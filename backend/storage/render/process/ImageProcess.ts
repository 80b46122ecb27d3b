import { spawn, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { runImageWorker } from './imageWorker.ts'
import type { ImageResult, ImageTask } from './imageWorker.ts'

/**
 * How a task ended that got no answer: it took too long, too much, or brought its process down; or there is no
 * process to be had, which is no fault of the picture's.
 */
export type ImageTaskFailure = 'time' | 'memory' | 'crash' | 'absent'

export interface ImageProcessLimits {
  /** Bytes of memory of the process as a whole, some 65 million of which are Node and libvips themselves. */
  memory: number
  /** Milliseconds for one task. */
  time: number
}

/** Milliseconds after its last task at which the process ends, its memory with it. */
const idleTimeoutMs = 30_000

/** A little behind the house and PostgreSQL: whoever sends a message does not wait for thumbnails. */
const niceness = 5

const library = createRequire(import.meta.url).resolve('sharp')

const workerCode = (limit: number): string =>
  `(${runImageWorker.toString()})(require(${JSON.stringify(library)}), require('node:fs/promises').open, ${limit})`

/**
 * One process that works on strangers' pictures, one after another, since a decoder can be made to take
 * memory without end, to run for minutes, or to fall over. It has nothing of our environment, starts with
 * the first task, and is ended from outside where a task passes its limits.
 */
export class ImageProcess {
  readonly #limits: ImageProcessLimits
  #child: ChildProcess | null = null
  #finish: ((answer: ImageResult | ImageTaskFailure) => void) | null = null
  #idle: NodeJS.Timeout | undefined

  constructor(limits: ImageProcessLimits) {
    this.#limits = limits
  }

  /** The process's id while there is one. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** One task at a time: the caller waits for the answer before the next. */
  run(task: ImageTask): Promise<ImageResult | ImageTaskFailure> {
    clearTimeout(this.#idle)
    const child = (this.#child ??= this.#start())
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(child, 'time'), this.#limits.time)
      this.#finish = (answer) => {
        clearTimeout(timer)
        this.#finish = null
        this.#idle = setTimeout(() => this.close(), idleTimeoutMs).unref()
        resolve(answer)
      }
      // Where it could not be sent, `exit` or `error` say why.
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
      // Freed pixels go back to the system rather than into pools, one for each thread.
      env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' },
      cwd: '/',
    })
    child.on('message', (answer: ImageResult) => this.#child === child && this.#finish?.(answer))
    child.on('error', () => this.#end(child, 'absent'))
    // Only memory makes it end itself so, and only the kernel's want of memory ends it likewise. It leaves by
    // itself only where it has not begun: the library is not there, or not for this machine.
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

/** Behind everything of ours for CPU, and before it when memory runs out. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // It has ended already, or the system does not let us.
  }
  writeFile(`/proc/${pid}/oom_score_adj`, '1000', () => {})
}
