import { pipeline } from 'node:stream/promises'
import { alreadySent } from '../../alreadySent.ts'
import type { ByteRange, OpenBytes } from '../../bytes/OpenBytes.ts'
import { errors } from '../../errors.ts'
import type { Storage, StorageContext } from '../../Storage.ts'
import { cleanMimeType } from '../../mimeType.ts'
import { isSafeInline, readDownloadName } from './contentDisposition.ts'
import { limitCaching, objectHeaders } from './objectHeaders.ts'
import { isNotModified, isRangeApplicable } from './conditionalRequests.ts'
import { parseRange } from './parseRange.ts'
import { headLength, detectContentType } from './detectContentType.ts'
import type { ObjectRow } from '../objectRows.ts'

/** Responses up to this size are read at once; a stream would cost more than it saves. */
const maxBufferedBytes = 128 * 1024

/**
 * Bytes read and sent at a time. Half of it takes 1.5 times the CPU time and has two thirds of the throughput, as each
 * chunk costs two thread switches; twice as much exceeds the CPU cache.
 */
const streamChunkBytes = 512 * 1024

/** How often the row is read again when its file was replaced meanwhile. */
const maxAttempts = 5

/**
 * The type to send: the row's, or the type detected in the content where the file would be displayed inline.
 * @param read bytes from the start of the file, if already read
 */
export async function contentTypeOf(row: ObjectRow, bytes: OpenBytes, read?: Buffer): Promise<string> {
  const label = cleanMimeType(row.metadata?.mimetype)
  if (!isSafeInline(label)) return label
  const last = Math.min(headLength, bytes.size) - 1
  return detectContentType(label, read && read.length > last ? read : await bytes.read({ first: 0, last }))
}

/**
 * Streams directly to Node's response, with backpressure. Where the client disconnects or the disk fails midway, the
 * connection is closed, as the length has already been sent.
 */
async function stream(
  c: StorageContext,
  bytes: OpenBytes,
  o: { status: number; fields: Record<string, string>; range: ByteRange },
): Promise<Response> {
  const { outgoing } = c.env
  outgoing.writeHead(o.status, o.fields)
  await pipeline(bytes.stream(o.range, streamChunkBytes), outgoing).catch(() => outgoing.destroy())
  return alreadySent
}

async function openCurrent(
  storage: Storage,
  find: () => Promise<ObjectRow>,
): Promise<{ row: ObjectRow; bytes: OpenBytes }> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const row = await find()
    const bytes = row.version ? await storage.bytes.open(row.version) : null
    if (bytes && bytes.size >= Number(row.metadata?.size ?? 0)) return { row, bytes }
    if (bytes) {
      // The file is truncated: caches would store a part under the ETag of the whole file.
      await bytes.close()
      storage.log.error('storage.bytes_truncated', { id: row.id, version: row.version })
      throw errors.missingBytes()
    }
  }
  const row = await find()
  storage.log.error('storage.bytes_missing', { id: row.id, version: row.version })
  throw errors.missingBytes()
}

/**
 * Responds to a GET with an object's bytes: 200, 206 for one range, 304, 416.
 * @param find reads the row as the caller; called again when an overwrite removed the file meanwhile
 * @param until expiry of the link, see `limitCaching`
 */
export async function sendObject(
  storage: Storage,
  c: StorageContext,
  find: () => Promise<ObjectRow>,
  until?: number,
): Promise<Response> {
  const { headers } = c.env.incoming
  const { row, bytes } = await openCurrent(storage, find)
  const { size } = bytes
  try {
    const download = readDownloadName(c, { isLink: until !== undefined })
    const metadata = objectHeaders(row, download)
    if (isNotModified(headers, metadata)) {
      const {
        'Content-Type': _type,
        'Content-Disposition': _disposition,
        ...fields
      } = limitCaching(metadata.fields, until)
      return c.body(null, 304, fields)
    }
    const range = isRangeApplicable(headers, metadata) ? parseRange(headers.range, size) : null
    if (range === 'unsatisfiable') {
      c.header('Content-Range', `bytes */${size}`)
      throw errors.invalidRange()
    }
    const part = range ?? { first: 0, last: size - 1 }
    const length = part.last - part.first + 1
    const whole = length > maxBufferedBytes ? null : await bytes.read(part)
    const type = await contentTypeOf(row, bytes, part.first === 0 && whole ? whole : undefined)
    const fields = {
      ...limitCaching(objectHeaders(row, download, type).fields, until),
      'Content-Length': String(length),
      ...(range && { 'Content-Range': `bytes ${part.first}-${part.last}/${size}` }),
    }
    const status = range ? 206 : 200
    if (!whole) return await stream(c, bytes, { status, fields, range: part })
    // Written directly to Node's response: a Response object costs more than the rest of a small response.
    c.env.outgoing.writeHead(status, fields).end(whole)
    return alreadySent
  } finally {
    await bytes.close()
  }
}
