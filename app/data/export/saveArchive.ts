import { makeZip } from 'client-zip'
import { saveByPage } from '../files/download/saveFile.ts'
import { exportOwnData, type ExportOptions } from './exportOwnData.ts'

const FILE = 'linnet-export.zip'

/**
 * Writes the archive to this origin's private file system, where its size takes no memory, and saves it as a download.
 * Browsers without that write it to memory. Rejects when canceled.
 */
export async function saveArchive(options: ExportOptions): Promise<void> {
  const archive = makeZip(exportOwnData(options))
  const directory = await navigator.storage?.getDirectory?.().catch(() => null)
  const handle = await directory?.getFileHandle(FILE, { create: true })
  if (!directory || !handle || !('createWritable' in handle)) {
    return offer(await new Response(archive).blob(), () => {})
  }
  try {
    await archive.pipeTo(await handle.createWritable(), { signal: options.signal })
    await offer(await handle.getFile(), () => void directory.removeEntry(FILE).catch(() => {}))
  } catch (error) {
    await directory.removeEntry(FILE).catch(() => {})
    throw error
  }
}

async function offer(archive: Blob, remove: () => void): Promise<void> {
  const url = URL.createObjectURL(archive)
  const release = () => {
    URL.revokeObjectURL(url)
    remove()
  }
  await saveByPage({ url: Promise.resolve(url), release }, FILE)
}
