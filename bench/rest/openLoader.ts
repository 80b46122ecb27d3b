import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Load } from './Latencies.ts'
import type { Task, Told } from './loader.ts'

export interface Loader {
  /** One at a time. Throws what an answer that is not a success said. */
  run(task: Task): Promise<Load>
  close(): Promise<void>
}

/** A process of its own for the load. */
export function openLoader(root: string): Loader {
  const child = spawn(process.execPath, [join(root, 'bin/run.mjs'), 'bench/rest/loader.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        child.once('message', (told: Told) => {
          if ('load' in told) resolve(told.load)
          else reject(new Error(told.error))
        })
        void ended.then(() => reject(new Error('The process that makes the load has ended.')))
        child.send(task)
      }),
    async close() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
