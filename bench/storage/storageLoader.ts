import { answerTasks } from '../load/answerTasks.ts'
import { openWorker, type Worker } from '../load/openWorker.ts'
import { httpLoad, type HttpTask } from '../rest/httpLoad.ts'
import type { Load } from '../rest/Latencies.ts'
import { putObjects, type PutObjectsTask } from './putObjects.ts'
import { rawObjects, type RawObjectsTask } from './rawObjects.ts'
import { download, upload, type DownTask, type Transfer, type UpTask } from './transfer.ts'

/** Small objects, many of them; and large ones, one transfer a task. */
export type ObjectsTask = HttpTask | PutObjectsTask | RawObjectsTask
export type TransferTask = DownTask | UpTask

/** The process that asks, apart from the one that counts. */
export function main(): Promise<number> {
  return answerTasks((task: ObjectsTask | TransferTask): Promise<Load | Transfer> => {
    if (task.kind === 'http') return httpLoad(task)
    if (task.kind === 'put objects') return putObjects(task)
    if (task.kind === 'raw objects') return rawObjects(task)
    return task.kind === 'down' ? download(task) : upload(task)
  })
}

export interface StorageLoader {
  /** For `inTurns`. */
  objects: Worker<ObjectsTask, Load>
  transfers: Worker<TransferTask, Transfer>
  close(): Promise<void>
}

/** A process of its own for the load. Its `run` throws what an answer that is not a success said. */
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
