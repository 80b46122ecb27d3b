import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { tusErrors } from './TusError.ts'
import { type UploadMetadata, parseUploadMetadata } from './uploadMetadata.ts'

/** The protocol's headers of one request, each undefined where it was not sent. */
export interface TusHeaders {
  offset: number | undefined
  length: number | undefined
  deferred: boolean
  metadata: UploadMetadata | undefined
  /** The metadata as received, which HEAD returns. */
  metadataText: string
  /** Whether the body is a chunk of the file. */
  hasChunk: boolean
}

const parseNumber = (text: string | undefined): number | undefined | null => {
  if (text === undefined) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) && value >= 0 && String(value) === text ? value : null
}

const joinValues = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value

/**
 * Throws 412 for a missing or different protocol version, 400 where a header is malformed.
 */
export function readTusHeaders(headers: IncomingHttpHeaders): TusHeaders {
  if (headers['tus-resumable'] !== '1.0.0') throw tusErrors.versionRequired()
  const offset = parseNumber(joinValues(headers['upload-offset']))
  const length = parseNumber(joinValues(headers['upload-length']))
  const defer = joinValues(headers['upload-defer-length'])
  const metadataText = joinValues(headers['upload-metadata'])
  const metadata = metadataText === undefined ? undefined : parseUploadMetadata(metadataText)
  const invalid = [
    offset === null && 'upload-offset',
    length === null && 'upload-length',
    defer !== undefined && defer !== '1' && 'upload-defer-length',
    metadata === null && 'upload-metadata',
  ].filter((name) => name !== false)
  if (invalid.length > 0) throw tusErrors.invalidHeaders(invalid)
  return {
    offset: offset ?? undefined,
    length: length ?? undefined,
    deferred: defer === '1',
    metadata: metadata ?? undefined,
    metadataText: metadataText ?? '',
    hasChunk: headers['content-type'] === 'application/offset+octet-stream',
  }
}

/** Bytes of the body by its headers; undefined with chunked transfer encoding. */
export function readContentLength({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  const length = Number(headers['content-length'] ?? 0)
  return Number.isSafeInteger(length) ? length : undefined
}
