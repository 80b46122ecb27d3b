import { serveTasks } from '../load/serveTasks.ts'
import { openWorker, type Worker } from '../load/openWorker.ts'
import { httpLoad, type HttpTask } from '../rest/httpLoad.ts'
import type { Load } from '../rest/Latencies.ts'
import { putObjects, type PutObjectsTask } from './putObjects.ts'
import { rawObjects, type RawObjectsTask } from './rawObjects.ts'
import { download, upload, type DownTask, type Transfer, type UpTask } from './transfer.ts'

/** Small objects, many of them; and large ones, one transfer a task. */
export type ObjectsTask = HttpTask | PutObjectsTask | RawObjectsTask
export type TransferTask = DownTask | UpTask

/** The process that generates the load, separate from the one that measures. */
export function main(): Promise<number> {
  return serveTasks((task: ObjectsTask | TransferTask): Promise<Load | Transfer> => {
    if (task.kind === 'http') return httpLoad(task)
    if (task.kind === 'put objects') return putObjects(task)
    if (task.kind === 'raw objects') return rawObjects(task)
    return task.kind === 'down' ? download(task) : upload(task)
  })
}

export interface StorageLoader {
  /** For `interleave`. */
  objects: Worker<ObjectsTask, Load>
  transfers: Worker<TransferTask, Transfer>
  close(): Promise<void>
}

/** Starts a process for the load. Its `run` throws the body of a response that is not a success. */
export function openStorageLoader(root: string): StorageLoader {
  const worker = openWorker<ObjectsTask | TransferTask, Load | Transfer>(
    root,
    'bench/storage/storageLoader.ts',
  )
  return {
    objects: worker as Worker<ObjectsTask, Load>,
    transfers: worker as Worker<TransferTask, Transfer>,
    close: () => worker.close(),
  }
}
