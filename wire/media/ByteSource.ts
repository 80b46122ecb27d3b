/** Random access to the bytes of a file, so that a large file is never in memory as a whole. */
export interface ByteSource {
  /** Bytes. */
  readonly size: number
  /** Returns these bytes; fewer only at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array>
}

/** A file that is in memory. */
export function sourceOfBytes(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  }
}

/** A file on the disk of a browser's user. */
export function sourceOfBlob(blob: Blob): ByteSource {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  }
}
