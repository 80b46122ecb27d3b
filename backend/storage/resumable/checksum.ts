import { createHash } from 'node:crypto'
import type { Hash } from 'node:crypto'
import { tusErrors } from './TusError.ts'

/** Names of the protocol; every server must support SHA-1. */
export const checksumAlgorithms: readonly string[] = ['sha1', 'sha256', 'md5']

/** The expected checksum of a chunk. */
export interface Checksum {
  hash: Hash
  /** Throws 460 unless the data in `hash` has the checksum. */
  compare(): void
}

/** Reads `Upload-Checksum: sha1 <base64>`; null without one. Throws 400 for an unknown algorithm. */
export function readChecksum(header: string | string[] | undefined): Checksum | null {
  if (header === undefined) return null
  const match = /^(\S+) ([A-Za-z0-9+/]+={0,2})$/.exec(String(header))
  if (!match) throw tusErrors.invalidHeaders(['upload-checksum'])
  if (!checksumAlgorithms.includes(match[1]!)) throw tusErrors.unknownAlgorithm()
  const hash = createHash(match[1]!)
  const wanted = Buffer.from(match[2]!, 'base64')
  return {
    hash,
    compare() {
      if (!hash.digest().equals(wanted)) throw tusErrors.checksumMismatch()
    },
  }
}
