/** Decoded `Upload-Metadata`; a key without a value has an empty string. */
export type UploadMetadata = ReadonlyMap<string, string>

const pairForm =
  /^([\x21-\x2b\x2d-\x7e]+)(?: ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?))?$/

/** Reads `key base64,key base64`. Null for another format or a duplicate key. */
export function parseUploadMetadata(header: string): UploadMetadata | null {
  const metadata = new Map<string, string>()
  for (const pair of header.split(',')) {
    const match = pairForm.exec(pair)
    if (!match || metadata.has(match[1]!)) return null
    metadata.set(match[1]!, Buffer.from(match[2] ?? '', 'base64').toString('utf8'))
  }
  return metadata
}

/** The header `Cache-Control` for a number of seconds; `no-cache` for any other value, as upstream. */
export function readCacheControl(metadata: UploadMetadata): string {
  const seconds = metadata.get('cacheControl') ?? ''
  return /^-?\d{1,20}$/.test(seconds) ? `max-age=${seconds}` : 'no-cache'
}
