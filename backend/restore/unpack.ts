import { chownSync, createWriteStream, mkdirSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract } from 'tar-stream'
import { BackupError } from '../backup/BackupError.ts'

/** The owner of unpacked files; null: the current user. */
export type Owner = { uid: number; gid: number } | null

/**
 * Writes the files and folders of a tar archive below a folder. Throws BackupError for an entry outside of it or of another
 * kind.
 * @param onBytes called with the number of bytes of the archive that were read
 */
export async function unpack(
  archive: AsyncIterable<Buffer>,
  folder: string,
  owner: Owner,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const entries = extract()
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of archive) {
      onBytes(chunk.length)
      yield chunk
    }
  }
  const give = (path: string): void => {
    if (owner) chownSync(path, owner.uid, owner.gid)
  }
  const made = new Set<string>()
  const createFolder = (path: string): void => {
    if (made.has(path)) return
    if (path !== folder) createFolder(dirname(path))
    mkdirSync(path, { recursive: true, mode: 0o700 })
    give(path)
    made.add(path)
  }
  createFolder(folder)
  const reading = (async () => {
    for await (const entry of entries) {
      const { name, type, mode } = entry.header
      const path = join(folder, name)
      if (isAbsolute(name) || name.split('/').includes('..'))
        throw new BackupError(`The backup contains a file outside of its folder: ${name}`)
      if (type === 'directory') {
        createFolder(path.replace(/\/+$/, ''))
        entry.resume()
      } else if (type === 'file' || type === 'contiguous-file') {
        createFolder(dirname(path))
        await pipeline(entry, createWriteStream(path, { mode: mode & 0o777 }))
        give(path)
      } else throw new BackupError(`The backup contains an entry of the kind ${type}: ${name}`)
    }
  })()
  // The reader destroys the stream when it fails. Its error is the reason, and the one of the pipeline follows from it.
  const writing = pipeline(Readable.from(counted()), entries as unknown as NodeJS.WritableStream)
  const [read, written] = await Promise.allSettled([reading, writing])
  if (written.status === 'rejected' && read.status === 'fulfilled') throw written.reason
  if (read.status === 'rejected') {
    const isConsequence = written.status === 'rejected' && written.reason instanceof BackupError
    throw isConsequence ? written.reason : read.reason
  }
}
