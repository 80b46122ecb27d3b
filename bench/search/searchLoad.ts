import { setPriority } from 'node:os'
import type { Commands } from '../../wire/commands.ts'
import { openWorker, type Worker } from '../load/openWorker.ts'
import { serveTasks } from '../load/serveTasks.ts'

export interface SearchTask {
  url: string
  key: string
  /** The access token of the person who searches. */
  token: string
  searches: Commands['search_messages']['args'][]
  concurrency: number
  ms: number
}

export interface SearchLoad {
  searches: number
  refused: number
}

/**
 * Searches in a process of its own, so that neither its requests nor its responses delay what the bench measures. It stands
 * for other machines: while the server needs the processor, it waits.
 */
export function main(): Promise<number> {
  setPriority(19)
  return serveTasks(async (task: SearchTask): Promise<SearchLoad> => {
    const load = { searches: 0, refused: 0 }
    const end = performance.now() + task.ms
    let next = 0
    const search = async (): Promise<void> => {
      while (performance.now() < end) {
        const response = await fetch(`${task.url}/rest/v1/rpc/search_messages`, {
          method: 'POST',
          headers: {
            apikey: task.key,
            authorization: `Bearer ${task.token}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify(task.searches[next++ % task.searches.length]),
        })
        await response.arrayBuffer()
        if (response.ok) load.searches += 1
        else load.refused += 1
      }
    }
    await Promise.all(Array.from({ length: task.concurrency }, search))
    return load
  })
}

export const openSearchLoader = (root: string): Worker<SearchTask, SearchLoad> =>
  openWorker(root, 'bench/search/searchLoad.ts')
