import { Worker } from 'node:worker_threads'

/** How long an idle thread waits for more calls before it exits. */
const idleTimeoutMs = 10_000

/** The nice value of these threads: their results take a while anyway, and must not delay requests. */
const niceness = 5

interface Pending {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/**
 * Creates a function that runs in a worker thread, so that long computations do not block the event loop. The
 * thread starts with the first call, does not keep the process alive, and exits when it has been idle for a
 * while, which frees its memory.
 * @param source a function expression, as text: it runs in the thread, where only `require` is available
 */
export function createThread<In, Out>(source: string): (input: In) => Promise<Out> {
  const code = `
    const { parentPort } = require('node:worker_threads')
    try {
      // Linux knows threads by numbers of their own, and this one by that path.
      const thread = Number(require('node:fs').readlinkSync('/proc/thread-self').split('/').at(-1))
      require('node:os').setPriority(thread, ${niceness})
    } catch {}
    const work = ${source}
    parentPort.on('message', ([id, input]) => {
      try { parentPort.postMessage([id, work(input)]) }
      catch (error) { parentPort.postMessage([id, null, String(error.message)]) }
    })`
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  const pending = new Map<number, Pending>()
  let last = 0

  const start = (): Worker => {
    const started = new Worker(code, { eval: true })
    started.unref()
    const rejectPending = (error: Error): void => {
      if (worker === started) worker = null
      for (const one of pending.values()) one.reject(error)
      pending.clear()
    }
    started.on('message', ([id, answer, failure]: [number, unknown, string?]) => {
      const one = pending.get(id)
      pending.delete(id)
      if (failure === undefined) one?.resolve(answer)
      else one?.reject(new Error(failure))
      if (pending.size > 0) return
      started.unref()
      idle = setTimeout(() => {
        worker = null
        void started.terminate()
      }, idleTimeoutMs).unref()
    })
    started.on('error', rejectPending)
    return started
  }

  return (input) =>
    new Promise((resolve, reject) => {
      clearTimeout(idle)
      worker ??= start()
      worker.ref()
      const id = ++last
      pending.set(id, { resolve: resolve as Pending['resolve'], reject })
      // A thread has no origin; the rule means windows.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage([id, input])
    })
}
