import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { TaskResult } from './serveTasks.ts'

/** A child process that runs tasks by `serveTasks`. */
export interface Worker<Task, Answer> {
  pid: number
  /** One at a time. Throws the error of the task. */
  run(task: Task): Promise<Answer>
  close(): Promise<void>
}

/** Starts `file` of the checkout `root` by `bin/run.mjs`, in a session of its own if `detached`. */
export function openWorker<Task, Answer>(root: string, file: string, detached = false): Worker<Task, Answer> {
  const child = spawn(process.execPath, [join(root, 'bin/run.mjs'), file], {
    cwd: root,
    detached,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  return {
    pid: child.pid!,
    run: (task) =>
      new Promise((resolve, reject) => {
        child.once('message', (result: TaskResult<Answer>) => {
          if ('answer' in result) resolve(result.answer)
          else reject(new Error(result.error))
        })
        void ended.then(() => reject(new Error(`The process of ${file} has ended.`)))
        child.send(task as object)
      }),
    async close() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
