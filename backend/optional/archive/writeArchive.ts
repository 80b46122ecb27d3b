import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeZip } from 'client-zip'
import type { Client } from 'pg'
import { entryPath } from './entryPath.ts'
import { openSnapshot, type ExportScope, type Snapshot, type StoredObject } from './exportRows.ts'
import { ArchiveError } from './ImportRequest.ts'
import { formatName, formatVersion, type Manifest, type ManifestEntry } from './Manifest.ts'
import { listPages } from './pages/listPages.ts'
import { readme } from './readme.ts'

export interface ExportRequest {
  /** A connection as the role `postgres`, which the export uses alone. */
  database: Client
  workspaceId: string
  /** The rows that the archive contains: all, or the ones that owners of the workspace may read. */
  scope: ExportScope
  /** The profile of the owner who requests the export, for the audit log; null for the person who runs the server. */
  actorId: string | null
  /** Reads the bytes of an object; null if it does not exist any more. */
  readObject(object: StoredObject): Promise<AsyncIterable<Uint8Array> | null>
  /** Whether the archive contains passwords, second factors, tokens and secrets. Not for owners. */
  withCredentials?: boolean
  /** The version of Linnet. */
  version: string
  /** The path of the ZIP file. */
  path: string
  onBytes?(bytes: number): void
}

interface ZipInput {
  name: string
  input: AsyncIterable<Uint8Array>
  lastModified: Date
}

const encoder = new TextEncoder()
/** Rows are joined to chunks of this size, because each chunk of the ZIP costs the same. */
const chunkCharacters = 65_536

/**
 * Writes the archive of a workspace, and an entry of the audit log before it begins. The file has its name only once it is complete.
 */
export async function writeArchive(request: ExportRequest): Promise<Manifest> {
  const { database, path } = request
  const workspace = await findWorkspace(database, request.workspaceId)
  const manifest: Manifest = {
    format: formatName,
    version: formatVersion,
    linnet: request.version,
    createdAt: new Date().toISOString(),
    scope: request.scope,
    ...(request.withCredentials ? { credentials: true as const } : {}),
    workspace,
    tables: [],
    files: [],
    missingFiles: [],
    otherEntries: [],
  }
  await database.query('select app.record_export($1, $2, $3, $4)', [
    workspace.id,
    request.scope,
    request.actorId,
    request.withCredentials ?? false,
  ])
  const snapshot = await openSnapshot(database, workspace.id, request.scope, request.withCredentials)
  const partial = `${path}.partial`
  try {
    const zip = makeZip(listEntries(request, snapshot, manifest))
    await pipeline(Readable.fromWeb(zip as never), createWriteStream(partial, { mode: 0o600 }))
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  } finally {
    await snapshot.close()
  }
  return manifest
}

async function findWorkspace(database: Client, id: string): Promise<Manifest['workspace']> {
  const { rows } = await database.query<Manifest['workspace']>(
    'select w.id, w.name from public.workspaces w where w.id = $1',
    [id],
  )
  if (rows.length === 0) throw new ArchiveError(`There is no workspace ${id}.`)
  return rows[0]!
}

/** The entries in the order of the file. Each checksum is known once its entry is written, so that the manifest is the last. */
async function* listEntries(
  request: ExportRequest,
  snapshot: Snapshot,
  manifest: Manifest,
): AsyncGenerator<ZipInput> {
  const lastModified = new Date(manifest.createdAt)
  const entry = (
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    onEnd: (entry: ManifestEntry) => void,
  ): ZipInput => {
    return { name: path, input: hashBytes(path, bytes, onEnd, request.onBytes), lastModified }
  }
  yield entry('README.txt', bytesOf(readme(manifest)), (done) => manifest.otherEntries.push(done))
  for (const table of snapshot.tables) {
    let rows = 0
    const lines = snapshot.lines(table)
    yield entry(
      `rows/${table}.jsonl`,
      joinLines(lines, () => rows++),
      (done) => manifest.tables.push({ table, ...done, rows }),
    )
  }
  // The objects are listed first: a cursor cannot wait for the bytes of each.
  const objects: StoredObject[] = []
  for await (const object of snapshot.objects()) objects.push(object)
  for (const object of objects) {
    const bytes = await request.readObject(object)
    const { bucket, name, type } = object
    if (bytes === null) manifest.missingFiles.push(`${bucket}/${name}`)
    else yield entry(entryPath(object), bytes, (done) => manifest.files.push({ bucket, name, type, ...done }))
  }
  const pages = listPages(snapshot, manifest.workspace.name, new Set(manifest.missingFiles))
  for await (const { path, html } of pages)
    yield entry(path, bytesOf(html), (done) => manifest.otherEntries.push(done))
  manifest.leftBehind = await snapshot.countLeftBehind()
  yield { name: 'manifest.json', input: bytesOf(`${JSON.stringify(manifest, null, 1)}\n`), lastModified }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield encoder.encode(text)
}

async function* joinLines(lines: AsyncIterable<string>, onLine: () => void): AsyncGenerator<Uint8Array> {
  let text = ''
  for await (const line of lines) {
    onLine()
    text += `${line}\n`
    if (text.length < chunkCharacters) continue
    yield encoder.encode(text)
    text = ''
  }
  yield encoder.encode(text)
}

async function* hashBytes(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  onEnd: (entry: ManifestEntry) => void,
  onBytes: ExportRequest['onBytes'],
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of bytes) {
    hash.update(chunk)
    size += chunk.length
    onBytes?.(chunk.length)
    yield chunk
  }
  onEnd({ path, bytes: size, sha256: hash.digest('hex') })
}
