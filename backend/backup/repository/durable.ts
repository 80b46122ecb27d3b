import { mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Syncs a folder, so that created, renamed and removed names survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Creates a folder and its parents, which survive a power failure. */
export async function createFolder(path: string, mode = 0o700): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode })
  if (first !== undefined) await syncFolder(dirname(first))
}

/** Replaces a small file atomically: a crash leaves the old or the new content. */
export async function replaceFile(path: string, content: string | Buffer, mode = 0o600): Promise<void> {
  const file = await open(`${path}.new`, 'w', mode)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  await syncFolder(dirname(path))
}
