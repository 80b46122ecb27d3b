import { serveTasks } from '../load/serveTasks.ts'
import { openWorker, type Worker } from '../load/openWorker.ts'
import { httpLoad, type HttpTask } from '../rest/httpLoad.ts'
import type { Load } from '../rest/Latencies.ts'
import { hashLoad, type HashTask } from './hashLoad.ts'
import { pacedLoad, type PacedTask } from './pacedLoad.ts'
import { refreshLoad, type RefreshTask } from './refreshLoad.ts'

export type AuthTask = HttpTask | RefreshTask | HashTask | PacedTask

/** The process that generates the load, separate from the one that measures. */
export function main(): Promise<number> {
  return serveTasks((task: AuthTask): Promise<Load> => {
    if (task.kind === 'http') return httpLoad(task)
    if (task.kind === 'refresh') return refreshLoad(task)
    if (task.kind === 'hash') return hashLoad(task)
    return pacedLoad(task)
  })
}

/** Starts a process for the load. Its `run` throws the body of a response that is not a success. */
export function openAuthLoader(root: string): Worker<AuthTask, Load> {
  return openWorker(root, 'bench/auth/authLoader.ts')
}
