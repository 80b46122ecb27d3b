import { adminOf } from '../support/people.ts'
import type { Address } from '../support/people.ts'
import { requestStorage, uploadError } from './requestStorage.ts'
import { createChunkSender } from './createChunkSender.ts'
import type { ChunkSender } from './createChunkSender.ts'
import { contentOfVersion, checkFile, identifyVersion } from './expectedFile.ts'
import type { ExpectedFile, FoundVersion } from './expectedFile.ts'
import { retryUntilRecovered } from './retryUntilRecovered.ts'

const bucket = 'crash'

/** In bytes: enough that a kill interrupts an upload, and a resumable one several times. */
const sizeOf = { single: 200_000, resumable: 12_000_000 }

export interface Uploader {
  /** Uploads in three parallel loops until the server is killed. */
  uploadUntilKilled(server: Address, interrupted: { done: boolean }): Promise<void>
  /** Reads the overwritten file, and retries what was not acknowledged until it is. */
  resume(server: Address): Promise<void>
  /** Finishes the resumable upload and reads every file. */
  readAll(server: Address): Promise<void>
  /** In sentences. */
  faults(): string[]
  counts(): {
    /** Acknowledged uploads. */
    acknowledged: number
    /** Requests without a response. */
    interrupted: number
    /** Resumable uploads that finished after an interruption. */
    resumed: number
  }
}

/**
 * Uploads known content: one name that is overwritten repeatedly, new names, and resumable uploads that continue at
 * their offset. Throws what a healthy server refuses.
 */
export async function createUploader(address: Address): Promise<Uploader> {
  const { error } = await adminOf(address).storage.createBucket(bucket)
  if (error) throw error
  const files: ExpectedFile[] = []
  const addFile = (name: string, size: number): ExpectedFile => {
    const made = { name, size, acknowledged: 0, attempted: 0 }
    files.push(made)
    return made
  }
  const faults: string[] = []
  let interrupted = 0

  /** Uploads the next version of a file; false where there was no response. */
  const upload = async (server: Address, file: ExpectedFile): Promise<boolean> => {
    file.attempted++
    const response = await requestStorage(server, `object/${bucket}/${file.name}`, {
      method: 'POST',
      body: contentOfVersion(file, file.attempted),
      headers: { 'content-type': 'text/plain' },
    })
    if (response === null) return false
    if (!response.ok) throw await uploadError(response)
    file.acknowledged = file.attempted
    return true
  }

  const overwritten = addFile('overwritten', sizeOf.single)
  let fresh = addFile('new-1', sizeOf.single)
  const chunkSenders = [createChunkSender(bucket, addFile('resumable-1', sizeOf.resumable))]
  const currentChunkSender = (): (typeof chunkSenders)[number] => {
    if (chunkSenders.at(-1)!.file.acknowledged > 0)
      chunkSenders.push(
        createChunkSender(bucket, addFile(`resumable-${chunkSenders.length + 1}`, sizeOf.resumable)),
      )
    return chunkSenders.at(-1)!
  }
  const chunkFaults = (): string[] => chunkSenders.flatMap((sender) => sender.faults)

  /** Null where there was no response. */
  const find = async (server: Address, file: ExpectedFile): Promise<FoundVersion | null> => {
    const response = await requestStorage(server, `object/${bucket}/${file.name}`)
    if (response === null) return null
    if (response.ok) return identifyVersion(file, Buffer.from(await response.arrayBuffer()))
    const refusal = (await response.clone().json()) as { statusCode?: string }
    if (refusal.statusCode !== '404') throw await uploadError(response)
    return 'nothing'
  }
  const read = async (server: Address, file: ExpectedFile): Promise<void> => {
    const found = await retryUntilRecovered('a file can not be read', () => find(server, file))
    faults.push(...checkFile(file, found))
  }
  const fetchOffset = (server: Address, sender: ChunkSender): Promise<true> =>
    retryUntilRecovered(
      'the offset of an upload can not be read',
      async () => (await sender.fetchOffset(server)) || null,
    )

  return {
    faults: () => [...faults, ...chunkFaults()],
    counts: () => ({
      acknowledged: files.reduce((sum, file) => sum + file.acknowledged, 0),
      interrupted,
      resumed: chunkSenders.filter((sender) => sender.isResumed() && sender.file.acknowledged > 0).length,
    }),
    async uploadUntilKilled(server, killed) {
      const loop = async (send: () => Promise<boolean>): Promise<void> => {
        while (!killed.done) {
          if (await send()) continue
          interrupted++
          return
        }
      }
      await Promise.all([
        loop(() => upload(server, overwritten)),
        loop(() => {
          if (fresh.acknowledged > 0) fresh = addFile(`new-${files.length}`, sizeOf.single)
          return upload(server, fresh)
        }),
        loop(() => currentChunkSender().send(server)),
      ])
    },
    async resume(server) {
      // Before it is overwritten again, which would hide damage by the kill.
      await read(server, overwritten)
      if (fresh.acknowledged === 0)
        await retryUntilRecovered('a file is not stored', async () => (await upload(server, fresh)) || null)
      await fetchOffset(server, currentChunkSender())
    },
    async readAll(server) {
      const last = currentChunkSender()
      while (last.file.acknowledged === 0 && last.faults.length === 0)
        if (!(await last.send(server))) await fetchOffset(server, last)
      for (const file of files) await read(server, file)
    },
  }
}
