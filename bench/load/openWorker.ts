import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Told } from './answerTasks.ts'

/** A process of its own that answers tasks by `answerTasks`. */
export interface Worker<Task, Answer> {
  pid: number
  /** One at a time. Throws what the process said went wrong. */
  run(task: Task): Promise<Answer>
  close(): Promise<void>
}

/** Runs `file` of the checkout `root`, a tool as `bin/run.mjs` starts it. */
export function openWorker<Task, Answer>(root: string, file: string): Worker<Task, Answer> {
  const child = spawn(process.execPath, [join(root, 'bin/run.mjs'), file], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  return {
    pid: child.pid!,
    run: (task) =>
      new Promise((resolve, reject) => {
        child.once('message', (told: Told<Answer>) => {
          if ('answer' in told) resolve(told.answer)
          else reject(new Error(told.error))
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
