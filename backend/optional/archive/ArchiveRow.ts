/** A row of an archive. The names and values of the columns are those of the schema; absent columns get their defaults. */
export interface ArchiveRow {
  /** The name of an archived table in the schema `public`, or `accounts`. */
  table: string
  row: Record<string, unknown>
}

/** A file of an archive. */
export interface ArchiveFile {
  bucket: 'files' | 'avatars'
  /** The name of the object in the bucket, such as `<channel>/<upload>/file`. */
  name: string
  size: number
  /** The media type. */
  type: string
  /** Reads the bytes. */
  open(): Promise<AsyncIterable<Uint8Array>>
}
