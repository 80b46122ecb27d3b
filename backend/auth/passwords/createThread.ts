import { Worker } from 'node:worker_threads'

/** How long a thread waits for more before it ends, in ms. */
const patience = 10_000

/**
 * How far such a thread stands behind the others (as `nice` counts): what it computes takes a while anyway, and whoever
 * sends a message meanwhile should not wait for it.
 */
const behind = 5

interface Pending {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/**
 * A function that runs elsewhere, so that what takes long in JavaScript holds up no message. The thread begins with
 * the first call, keeps no process alive, and ends when it has been idle for a while, its memory with it.
 * @param source an expression of a function, as text: it runs in a world of its own, where only `require` is given
 */
export function createThread<In, Out>(source: string): (input: In) => Promise<Out> {
  const code = `
    const { parentPort } = require('node:worker_threads')
    try {
      // Linux knows threads by numbers of their own, and this one by that path.
      const thread = Number(require('node:fs').readlinkSync('/proc/thread-self').split('/').at(-1))
      require('node:os').setPriority(thread, ${behind})
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
    const giveUp = (error: Error): void => {
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
      }, patience).unref()
    })
    started.on('error', giveUp)
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
