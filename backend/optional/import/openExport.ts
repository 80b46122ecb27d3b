import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { openPromise, type Entry } from 'yauzl'
import { ExportError } from './ExportError.ts'

/** The files of an export, which is a ZIP or a folder. */
export interface ExportFiles {
  /** The size in bytes of each file, by its path with slashes. */
  sizes: ReadonlyMap<string, number>
  /** The bytes of a file. The stream fails if they are damaged, or more than `sizes` has. */
  open(path: string): Promise<Readable>
  close(): void
}

export interface ExportLimits {
  files: number
  /** Of all files together, unpacked. */
  bytes: number
  /** Unpacked bytes for each packed one, of files of at least 1 MiB. */
  ratio: number
}

export const defaultLimits: ExportLimits = { files: 500_000, bytes: 2 ** 42, ratio: 400 }

/** Opens a ZIP or a folder. Throws ExportError if it is neither, or is beyond a limit. */
export async function openExport(path: string, limits: ExportLimits = defaultLimits): Promise<ExportFiles> {
  const found = await stat(path).catch(() => null)
  if (found === null) throw new ExportError(`There is no file ${path}.`)
  return found.isDirectory() ? openFolder(path, limits) : openZip(path, found.size, limits)
}

function checkCount(count: number, { files }: ExportLimits): void {
  if (count > files) throw new ExportError(`The export has more than ${files} files.`)
}

/** Symbolic links are left out: they can lead out of the folder. */
async function openFolder(path: string, limits: ExportLimits): Promise<ExportFiles> {
  const sizes = new Map<string, number>()
  const visit = async (prefix: string): Promise<void> => {
    for (const entry of await readdir(join(path, prefix), { withFileTypes: true })) {
      const name = `${prefix}${entry.name}`
      if (entry.isDirectory()) await visit(`${name}/`)
      else if (entry.isFile()) {
        sizes.set(name, (await stat(join(path, name))).size)
        checkCount(sizes.size, limits)
      }
    }
  }
  await visit('')
  return { sizes, open: async (name) => createReadStream(join(path, name)), close() {} }
}

/** Reads the directory of a ZIP. Nothing is unpacked to the disk. */
async function openZip(path: string, size: number, limits: ExportLimits): Promise<ExportFiles> {
  const zip = await openPromise(path, { autoClose: false }).catch(() => {
    throw new ExportError(`${path} is neither a ZIP file nor a folder.`)
  })
  try {
    const entries = await readDirectory(zip.eachEntry(), size, limits)
    return {
      sizes: new Map(Array.from(entries, ([name, entry]) => [name, entry.uncompressedSize])),
      async open(name) {
        const entry = entries.get(name)
        if (entry === undefined) throw new ExportError(`The export has no file ${name}.`)
        return zip.openReadStreamPromise(entry)
      },
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    if (error instanceof ExportError) throw error
    // yauzl refuses paths that lead out of the folder, and damaged directories.
    throw new ExportError(`The ZIP file is refused: ${(error as Error).message}.`, { cause: error })
  }
}

async function readDirectory(
  found: AsyncIterable<Entry>,
  size: number,
  limits: ExportLimits,
): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  let [packed, unpacked] = [0, 0]
  for await (const entry of found) {
    const { fileName: name, compressedSize, uncompressedSize } = entry
    if (name.endsWith('/') || entries.has(name)) continue
    if (!entry.canDecodeFileData())
      throw new ExportError(`${name} is encrypted, or packed in an unknown way.`)
    entries.set(name, entry)
    checkCount(entries.size, limits)
    packed += compressedSize
    unpacked += uncompressedSize
    // The same packed bytes as the content of many files.
    if (packed > size) throw new ExportError('The ZIP file is refused: its files overlap.')
    if (
      unpacked > limits.bytes ||
      (uncompressedSize >= 2 ** 20 && uncompressedSize > compressedSize * limits.ratio)
    )
      throw new ExportError(`The ZIP file is refused: ${name} is too large when it is unpacked.`)
  }
  return entries
}

/**
 * The files of the folder that has one of these files; null if there is none. Some programs pack the folder around the files too.
 * @param names names of files without a folder
 */
export function findFolder(files: ExportFiles, names: readonly string[]): ExportFiles | null {
  if (names.some((name) => files.sizes.has(name))) return files
  const marker = Array.from(files.sizes.keys()).find((path) => {
    const [folder = '', name = '', ...more] = path.split('/')
    return folder !== '' && more.length === 0 && names.includes(name)
  })
  if (marker === undefined) return null
  const prefix = marker.slice(0, marker.indexOf('/') + 1)
  const inner = Array.from(files.sizes).filter(([name]) => name.startsWith(prefix))
  return {
    sizes: new Map(inner.map(([name, size]) => [name.slice(prefix.length), size])),
    open: (name) => files.open(prefix + name),
    close: () => files.close(),
  }
}
