interface WaitingFile {
  bucket: string
  name: string
}

export interface FilePorts {
  /** What is to be emptied, oldest first. */
  waiting(most: number): Promise<WaitingFile[]>
  /** Removes bytes and rows through the storage API, to which a file that is gone already is no error. */
  remove(bucket: string, names: string[]): Promise<void>
  /** Takes files off the queue. */
  done(bucket: string, names: string[]): Promise<void>
}

/** As many as the storage API takes at once, with room to spare. */
const batch = 500
/** A call has a minute; what is left then is for the next. */
const mostBatches = 40

/**
 * Empties what waits, a batch at a time, and answers how many files that were. A file leaves the queue only once its
 * bytes are gone: killed anywhere, it is tried again, and two at once do the same thing twice. Throws what went wrong
 * with a bucket when the others have been emptied.
 */
export async function emptyFiles(ports: FilePorts): Promise<number> {
  let emptied = 0
  let trouble: unknown
  for (let i = 0; i < mostBatches && trouble === undefined; i++) {
    const files = await ports.waiting(batch)
    if (files.length === 0) return emptied
    const buckets = new Map<string, string[]>()
    for (const { bucket, name } of files) buckets.set(bucket, [...(buckets.get(bucket) ?? []), name])
    for (const [bucket, names] of buckets) {
      try {
        await ports.remove(bucket, names)
        await ports.done(bucket, names)
        emptied += names.length
      } catch (error) {
        trouble = error
      }
    }
  }
  if (trouble !== undefined) throw trouble
  return emptied
}
