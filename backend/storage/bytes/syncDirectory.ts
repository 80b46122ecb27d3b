import { open } from 'node:fs/promises'

/** Makes names that were made or taken in a folder last through a loss of power. */
export async function syncDirectory(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
