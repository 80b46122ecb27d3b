/** Maximum number of files read from dropped folders: a whole disk may be dropped by mistake. */
const MAX_FILES = 200

/**
 * The dropped files, including those in folders at any depth, except hidden ones. Call it in the event handler: the
 * browser clears the transfer afterwards.
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
    // oxlint-disable-next-line no-await-in-loop -- in order
    else await gather(one, files)
  }
  return files
}

async function gather(folder: FileSystemDirectoryEntry, files: File[]): Promise<void> {
  for (const entry of await entriesOf(folder)) {
    if (files.length >= MAX_FILES) return
    if (entry.name.startsWith('.')) continue
    // oxlint-disable-next-line no-await-in-loop -- in order, and not more than the maximum
    if (entry.isDirectory) await gather(entry as FileSystemDirectoryEntry, files)
    // oxlint-disable-next-line no-await-in-loop -- in order, and not more than the maximum
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

/** Entries of a folder by name; empty if it can't be read. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- the browser returns a hundred at a time
    const some = await new Promise<FileSystemEntry[]>((resolve) => {
      reader.readEntries(resolve, () => resolve([]))
    })
    if (some.length === 0) break
    all.push(...some)
  }
  return all.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
}
