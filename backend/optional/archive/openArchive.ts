import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import type { ArchiveFile, ArchiveRow } from './ArchiveRow.ts'
import { secretsTable } from './credentials.ts'
import { ArchiveError } from './ImportRequest.ts'
import { ownerOfObject } from './objectNames.ts'
import { formatName, formatVersion, type Manifest, type ManifestEntry } from './Manifest.ts'
import { archivedTables } from './tables.ts'

const maxEntries = 2_000_000
const maxManifestBytes = 200_000_000
const maxLineCharacters = 1_000_000
/** An entry that is compressed more than this is not text of people. */
const maxCompression = 200
const minCheckedBytes = 1_000_000

/** An archive whose entries are as its manifest states. */
export interface Archive {
  manifest: Manifest
  rows(): AsyncGenerator<ArchiveRow>
  files(): AsyncGenerator<ArchiveFile>
  close(): void
}

/**
 * Opens an archive and reads all of it once: an import begins only if each entry has its checksum, and each line is a row. Throws
 * ArchiveError.
 */
export async function openArchive(path: string): Promise<Archive> {
  const zip = await openZip(path)
  try {
    const entries = await listEntries(zip)
    const manifest = await readManifest(zip, entries)
    const find = ({ path, bytes }: ManifestEntry): Entry => {
      const entry = entries.get(path)
      if (entry === undefined) throw new ArchiveError(`The archive lacks ${path}, which its manifest lists.`)
      if (entry.uncompressedSize !== bytes)
        throw new ArchiveError(`${path} of the archive does not have the size that its manifest states.`)
      return entry
    }
    const listed = [...manifest.tables, ...manifest.files, ...manifest.otherEntries]
    if (listed.length + 1 !== entries.size)
      throw new ArchiveError('The archive contains entries that its manifest does not list.')
    for (const entry of [...manifest.files, ...manifest.otherEntries])
      for await (const _ of verified(zip, find(entry), entry));
    for (const table of manifest.tables) {
      let rows = 0
      for await (const _ of readRows(zip, find(table), table)) rows++
      if (rows !== table.rows)
        throw new ArchiveError(
          `${table.path} of the archive does not have the rows that its manifest states.`,
        )
    }
    const order = ['accounts', ...archivedTables.map(({ name }) => name), secretsTable]
    return {
      manifest,
      async *rows() {
        for (const name of order)
          for (const table of manifest.tables.filter((one) => one.table === name))
            yield* readRows(zip, find(table), table)
      },
      async *files() {
        for (const file of manifest.files) {
          const { bucket, name, type, bytes } = file
          yield { bucket, name, type, size: bytes, open: async () => verified(zip, find(file), file) }
        }
      },
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true })
  } catch (error) {
    throw new ArchiveError(`${path} cannot be opened as a ZIP file: ${(error as Error).message}.`)
  }
}

function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>()
    zip.on('error', (error: Error) =>
      reject(new ArchiveError(`The archive is damaged, or its names leave the archive: ${error.message}.`)),
    )
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      const { fileName, uncompressedSize, compressedSize } = entry
      if (entries.size >= maxEntries || entries.has(fileName))
        return reject(new ArchiveError('The archive contains too many entries, or one name twice.'))
      if (uncompressedSize > minCheckedBytes && uncompressedSize > maxCompression * compressedSize)
        return reject(
          new ArchiveError(`${fileName} of the archive is much larger than the file: it is no archive.`),
        )
      entries.set(fileName, entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}

async function readManifest(zip: ZipFile, entries: ReadonlyMap<string, Entry>): Promise<Manifest> {
  const entry = entries.get('manifest.json')
  if (entry === undefined)
    throw new ArchiveError('The file is not an archive of Linnet: it has no manifest.json.')
  if (entry.uncompressedSize > maxManifestBytes)
    throw new ArchiveError('manifest.json of the archive is too large.')
  let text = ''
  for await (const chunk of await openEntry(zip, entry)) text += (chunk as Buffer).toString('latin1')
  let manifest: Partial<Manifest>
  try {
    manifest = JSON.parse(Buffer.from(text, 'latin1').toString()) as Partial<Manifest>
  } catch {
    throw new ArchiveError('manifest.json of the archive is not JSON.')
  }
  if (manifest.format !== formatName) throw new ArchiveError('The file is not an archive of Linnet.')
  if (manifest.version !== formatVersion)
    throw new ArchiveError(
      `The archive has version ${manifest.version} of the format. This version of Linnet reads version ${formatVersion}.`,
    )
  if (!isComplete(manifest)) throw new ArchiveError('manifest.json of the archive is not complete.')
  const misnamed = manifest.files.find(({ bucket, name }) => ownerOfObject(bucket, name) === null)
  if (misnamed !== undefined)
    throw new ArchiveError(`The archive contains a file with the name ${misnamed.name}.`)
  return manifest
}

const isEntry = ({ path, bytes, sha256 }: ManifestEntry): boolean =>
  typeof path === 'string' && Number.isSafeInteger(bytes) && typeof sha256 === 'string'

function isComplete(manifest: Partial<Manifest>): manifest is Manifest {
  const { tables, files, otherEntries, workspace } = manifest
  return (
    typeof workspace?.id === 'string' &&
    Array.isArray(tables) &&
    Array.isArray(files) &&
    Array.isArray(otherEntries) &&
    [...tables, ...files, ...otherEntries].every(isEntry) &&
    files.every(
      ({ path, bucket, name, type }) =>
        (bucket === 'files' || bucket === 'avatars') &&
        `${path}/`.startsWith(`files/${bucket}/${name}/`) &&
        typeof type === 'string',
    )
  )
}

async function openEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  try {
    return await zip.openReadStreamPromise(entry)
  } catch (error) {
    throw new ArchiveError(`${entry.fileName} of the archive cannot be read: ${(error as Error).message}.`)
  }
}

/** The bytes of an entry. Throws at the end if they do not have the checksum. */
async function* verified(
  zip: ZipFile,
  entry: Entry,
  { path, sha256 }: ManifestEntry,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of await openEntry(zip, entry)) {
      hash.update(chunk as Buffer)
      yield chunk as Buffer
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw error
    throw new ArchiveError(`${path} of the archive is damaged: ${(error as Error).message}.`)
  }
  if (hash.digest('hex') !== sha256)
    throw new ArchiveError(`${path} of the archive does not have the checksum that its manifest states.`)
}

async function* readRows(
  zip: ZipFile,
  entry: Entry,
  table: Manifest['tables'][number],
): AsyncGenerator<ArchiveRow> {
  let number = 0
  for await (const line of splitLines(verified(zip, entry, table), table.path)) {
    number++
    let row: unknown
    try {
      row = JSON.parse(line)
    } catch {
      row = null
    }
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw new ArchiveError(`Line ${number} of ${table.path} is not a row.`)
    yield { table: table.table, row: row as Record<string, unknown> }
  }
}

async function* splitLines(bytes: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    if (rest.length > maxLineCharacters || lines.some(({ length }) => length > maxLineCharacters))
      throw new ArchiveError(`${path} of the archive has a line that is too long.`)
    yield* lines
  }
  if (rest !== '') yield rest
}
