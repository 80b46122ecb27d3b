import { Worker } from 'node:worker_threads'

/** How long an idle thread waits for more calls before it exits. */
const idleTimeoutMs = 10_000

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
}

interface RunningThread {
  worker: Worker
  sessions: number
  pending: Map<number, Pending>
  error: Error | null
}

/** Calls of one thread, which may store state between them; it does not exit before `close`. */
export interface ThreadSession<In, Out> {
  /** Rejects with the error of the call, or of the thread. */
  run(input: In): Promise<Out>
  close(): void
}

export interface Thread<In, Out> {
  run(input: In): Promise<Out>
  open(): ThreadSession<In, Out>
}

/**
 * Runs a function in a worker thread, so that long computations do not block the event loop. The thread starts with the
 * first call, does not keep the process alive while idle, and exits when it has been idle for a while, which frees its
 * memory.
 * @param source an expression of a function, as text: it runs in the thread, where only `require` is available
 * @param o.niceness of the thread: by default its results must not delay requests
 */
export function createThread<In, Out>(source: string, { niceness = 5 } = {}): Thread<In, Out> {
  const code = `
    const { parentPort } = require('node:worker_threads')
    try {
      // Linux knows threads by numbers of their own, and this one by that path.
      const thread = Number(require('node:fs').readlinkSync('/proc/thread-self').split('/').at(-1))
      if (${niceness} > 0) require('node:os').setPriority(thread, ${niceness})
    } catch {}
    const work = ${source}
    parentPort.on('message', ([id, input]) => {
      try { parentPort.postMessage([id, work(input)]) }
      catch (error) { parentPort.postMessage([id, null, String(error.message)]) }
    })`
  let thread: RunningThread | null = null
  let idle: NodeJS.Timeout | undefined
  let last = 0

  const start = (): RunningThread => {
    const worker = new Worker(code, { eval: true })
    const started: RunningThread = { worker, sessions: 0, pending: new Map(), error: null }
    const { pending } = started
    worker.on('message', ([id, result, failure]: [number, unknown, string?]) => {
      const call = pending.get(id)
      pending.delete(id)
      if (failure === undefined) call?.resolve(result)
      else call?.reject(new Error(failure))
    })
    worker.on('error', (error: Error) => {
      if (thread === started) thread = null
      started.error = error
      for (const call of pending.values()) call.reject(error)
      pending.clear()
    })
    return started
  }

  const open = (): ThreadSession<In, Out> => {
    clearTimeout(idle)
    const used = (thread ??= start())
    used.sessions++
    used.worker.ref()
    return {
      run: (input) =>
        new Promise((resolve, reject) => {
          // Another thread would not have the state of this one.
          if (used.error) return reject(used.error)
          const id = ++last
          used.pending.set(id, { resolve: resolve as Pending['resolve'], reject })
          // A thread has no origin; the rule means windows.
          // oxlint-disable-next-line unicorn/require-post-message-target-origin
          used.worker.postMessage([id, input])
        }),
      close() {
        if (--used.sessions > 0 || thread !== used) return
        used.worker.unref()
        idle = setTimeout(() => {
          thread = null
          void used.worker.terminate()
        }, idleTimeoutMs).unref()
      },
    }
  }

  return {
    open,
    async run(input) {
      const session = open()
      try {
        return await session.run(input)
      } finally {
        session.close()
      }
    },
  }
}
