import { openWorker, type Worker } from '../load/openWorker.ts'
import type { Load } from './Latencies.ts'
import type { Task } from './loader.ts'

export type Loader = Worker<Task, Load>

/** A process of its own for the load. Its `run` throws what an answer that is not a success said. */
export function openLoader(root: string): Loader {
  return openWorker(root, 'bench/rest/loader.ts')
}
