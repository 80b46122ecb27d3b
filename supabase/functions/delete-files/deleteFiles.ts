interface QueuedFile {
  bucket: string
  name: string
}

export interface FilePorts {
  /** The oldest queued files. */
  list(max: number): Promise<QueuedFile[]>
  /** Deletes objects through the storage API, which ignores those that do not exist. */
  remove(bucket: string, names: string[]): Promise<void>
  /** Removes deleted files from the queue. */
  confirm(bucket: string, names: string[]): Promise<void>
}

/** The storage API accepts 1,000. */
const batchSize = 500
/** A call may take a minute; the next one continues. */
const maxBatches = 40

/**
 * Deletes queued files in batches and returns their number. A file leaves the queue only after its object was deleted:
 * an interrupted call is repeated by the next, and concurrent calls do no harm. If a bucket fails, the files of the
 * others in the batch are still deleted; then the last error is thrown.
 */
export async function deleteFiles(ports: FilePorts): Promise<number> {
  let deleted = 0
  let failure: unknown
  for (let i = 0; i < maxBatches && failure === undefined; i++) {
    const files = await ports.list(batchSize)
    if (files.length === 0) return deleted
    const buckets = new Map<string, string[]>()
    for (const { bucket, name } of files) buckets.set(bucket, [...(buckets.get(bucket) ?? []), name])
    for (const [bucket, names] of buckets) {
      try {
        await ports.remove(bucket, names)
        await ports.confirm(bucket, names)
        deleted += names.length
      } catch (error) {
        failure = error
      }
    }
  }
  if (failure !== undefined) throw failure
  return deleted
}
