/** So many files of dropped folders are looked at: a disk that was dropped by mistake must not be read whole. */
const MAX_FILES = 200

/**
 * The files that were dropped. Of a folder those that lie in it, at any depth, but for hidden ones. Call it in the event
 * itself: afterwards the browser has forgotten what was dropped.
 */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  const dropped = [...transfer.items].flatMap((item): (File | FileSystemDirectoryEntry)[] => {
    const entry = item.webkitGetAsEntry()
    const file = item.getAsFile()
    if (entry?.isDirectory) return [entry as FileSystemDirectoryEntry]
    return file ? [file] : []
  })
  const files: File[] = []
  for (const one of dropped) {
    if (one instanceof File) files.push(one)
    // oxlint-disable-next-line no-await-in-loop -- in their order
    else await gather(one, files)
  }
  return files
}

async function gather(folder: FileSystemDirectoryEntry, files: File[]): Promise<void> {
  for (const entry of await entriesOf(folder)) {
    if (files.length >= MAX_FILES) return
    if (entry.name.startsWith('.')) continue
    // oxlint-disable-next-line no-await-in-loop -- in their order, and not more than are wanted
    if (entry.isDirectory) await gather(entry as FileSystemDirectoryEntry, files)
    // oxlint-disable-next-line no-await-in-loop -- the same
    else
      await fileOf(entry as FileSystemFileEntry).then(
        (file) => files.push(file),
        () => {},
      )
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject)
  })
}

/** What lies in a folder, by name; a folder that can't be read has nothing. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- the browser gives a hundred at a time
    const some = await new Promise<FileSystemEntry[]>((resolve) => {
      reader.readEntries(resolve, () => resolve([]))
    })
    if (some.length === 0) break
    all.push(...some)
  }
  return all.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
}
