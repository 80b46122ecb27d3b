import { httpLoad } from './httpLoad.ts'
import type { HttpTask } from './httpLoad.ts'
import type { Load } from './Latencies.ts'
import { rawLoad } from './rawLoad.ts'
import type { RawTask } from './rawLoad.ts'

export type Task = HttpTask | RawTask
export type Told = { load: Load } | { error: string }

/**
 * The process that makes the load: it takes one task at a time from its parent and tells what it measured.
 * Apart, so that neither the bench nor the log lines it reads take turns from the one that counts.
 */
export function main(): Promise<number> {
  process.on('message', (task: Task) => {
    const done = task.kind === 'http' ? httpLoad(task) : rawLoad(task)
    done.then(
      (load) => process.send!({ load } satisfies Told),
      (error: Error) => process.send!({ error: error.message } satisfies Told),
    )
  })
  return new Promise((resolve) => {
    process.once('disconnect', () => resolve(0))
  })
}
