import { openWorker, type Worker } from '../load/openWorker.ts'
import type { Load } from './Latencies.ts'
import type { Task } from './loader.ts'

export type Loader = Worker<Task, Load>

/** Starts a process for the load. Its `run` throws the body of a response that is not a success. */
export function openLoader(root: string): Loader {
  return openWorker(root, 'bench/rest/loader.ts')
}
