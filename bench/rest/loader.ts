import { serveTasks } from '../load/serveTasks.ts'
import { httpLoad } from './httpLoad.ts'
import type { HttpTask } from './httpLoad.ts'
import { rawLoad } from './rawLoad.ts'
import type { RawTask } from './rawLoad.ts'

export type Task = HttpTask | RawTask

/** The same tasks with another number of connections. */
export const atConcurrency = (
  concurrency: number,
  tasks: ((ms: number) => Task)[],
): ((ms: number) => Task)[] => tasks.map((task) => (ms) => ({ ...task(ms), concurrency }))

/**
 * The process that generates the load: it runs one task at a time for its parent and returns the measurements. Separate,
 * so that the bench and the server's log lines take no CPU from it.
 */
export function main(): Promise<number> {
  return serveTasks((task: Task) => (task.kind === 'http' ? httpLoad(task) : rawLoad(task)))
}
