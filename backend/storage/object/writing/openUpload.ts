import type { IncomingMessage } from 'node:http'
import { errors } from '../../errors.ts'
import { cleanMimeType } from '../../mimeType.ts'
import { readRobotsTag } from '../robotsTag.ts'
import { openMultipart } from './openMultipart.ts'

/** A file in a request whose bytes have not been read yet. */
export interface Upload {
  /** Whether the bytes come within multipart/form-data. */
  isForm: boolean
  mimetype: string
  cacheControl: string
  userMetadata: Record<string, unknown> | null
  /** The `X-Robots-Tag` of the object. */
  robotsTag: string | undefined
  /** `Content-Length`, which includes the overhead of a form. */
  declaredLength: number | undefined
  content: AsyncIterable<Buffer>
  /** Resolves when the request was complete; rejects for a form that is incomplete after its file. */
  complete(): Promise<void>
  /** Discards a body that won't be read, so that the parser does not buffer it. */
  abandon(): void
}

/** Bytes of the largest metadata that a client may attach. */
export const maxMetadataBytes = 1024 * 1024

/** An object from JSON text; null for anything else, which upstream ignores likewise. */
export function parseUserMetadata(json: string): Record<string, unknown> | null {
  if (Buffer.byteLength(json) > maxMetadataBytes) throw errors.entityTooLarge('user_metadata')
  try {
    const value: unknown = JSON.parse(json)
    return value && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Only values that are valid in a header. */
export function cleanCacheControl(value: string | undefined): string {
  return value && value.length <= 255 && /^[\x20-\x7e]+$/.test(value) ? value : 'no-cache'
}

async function openRaw(incoming: IncomingMessage): Promise<Upload> {
  const { headers } = incoming
  return {
    isForm: false,
    mimetype: cleanMimeType(headers['content-type']),
    cacheControl: cleanCacheControl(headers['cache-control']),
    userMetadata: readUserMetadata(incoming),
    robotsTag: readRobotsTag(headers['x-robots-tag']),
    declaredLength: readDeclaredLength(incoming),
    // Left open on a throw: destroying it would close the connection before the response is sent.
    content: incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>,
    complete: async () => {
      if (!incoming.complete) throw errors.noContentProvided()
    },
    abandon: () => {},
  }
}

/** The metadata in `x-metadata`: a JSON object in base64. */
export function readUserMetadata({ headers }: IncomingMessage): Record<string, unknown> | null {
  const metadata = headers['x-metadata']
  return typeof metadata === 'string'
    ? parseUserMetadata(Buffer.from(metadata, 'base64').toString('utf8'))
    : null
}

export const readDeclaredLength = (incoming: IncomingMessage): number | undefined => {
  const length = Number(incoming.headers['content-length'] ?? Number.NaN)
  return Number.isSafeInteger(length) ? length : undefined
}

/**
 * Reads a request up to the start of its file: a form (fields first, as storage-js sends it) or the
 * file itself as the body. Throws NoContentProvided where there is none.
 */
export async function openUpload(incoming: IncomingMessage): Promise<Upload> {
  if (!incoming.headers['content-type']?.toLowerCase().startsWith('multipart/form-data')) {
    return openRaw(incoming)
  }
  const robotsTag = readRobotsTag(incoming.headers['x-robots-tag'])
  const form = await openMultipart(incoming)
  const metadata = form.fields.get('metadata') ?? form.fields.get('userMetadata')
  const seconds = form.fields.get('cacheControl')
  return {
    isForm: true,
    mimetype: cleanMimeType(form.fields.get('contentType') || form.mimetype),
    cacheControl: cleanCacheControl(seconds && `max-age=${seconds}`),
    userMetadata: metadata === undefined ? null : parseUserMetadata(metadata),
    robotsTag,
    declaredLength: readDeclaredLength(incoming),
    content: form.content,
    complete: form.complete,
    abandon: form.abandon,
  }
}
