import type { IncomingMessage } from 'node:http'

/** Bytes of the body by its headers; undefined with chunked transfer encoding. */
export function readContentLength({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  const length = Number(headers['content-length'] ?? 0)
  return Number.isSafeInteger(length) ? length : undefined
}
