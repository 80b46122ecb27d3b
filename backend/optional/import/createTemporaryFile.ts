import { randomUUID } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates a file without a name, which disappears with the process in any case. It is in the temporary directory of the system, which
 * can be in memory, only if the directory is not writable.
 */
export async function createTemporaryFile(directory: string): Promise<FileHandle> {
  const create = async (folder: string): Promise<FileHandle> => {
    const path = join(folder, `.linnet-import-${randomUUID()}`)
    const handle = await open(path, 'wx+', 0o600)
    await unlink(path)
    return handle
  }
  return create(directory).catch(() => create(tmpdir()))
}
