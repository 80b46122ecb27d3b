import { open } from 'node:fs/promises'

/** Syncs a directory, so that created and removed names survive a power failure. */
export async function syncDirectory(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
