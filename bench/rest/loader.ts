import { answerTasks } from '../load/answerTasks.ts'
import { httpLoad } from './httpLoad.ts'
import type { HttpTask } from './httpLoad.ts'
import { rawLoad } from './rawLoad.ts'
import type { RawTask } from './rawLoad.ts'

export type Task = HttpTask | RawTask

/**
 * The process that makes the load: it takes one task at a time from its parent and tells what it measured.
 * Apart, so that neither the bench nor the log lines it reads take turns from the one that counts.
 */
export function main(): Promise<number> {
  return answerTasks((task: Task) => (task.kind === 'http' ? httpLoad(task) : rawLoad(task)))
}
