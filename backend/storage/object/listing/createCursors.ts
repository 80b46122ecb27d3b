import { createHmac, timingSafeEqual } from 'node:crypto'
import { errors } from '../../errors.ts'

/** What is listed: a cursor of one listing goes on with that one alone. */
export interface Listing {
  bucket: string
  prefix: string
  /** Whether folders are shown as one entry each. */
  withFolders: boolean
}

/** How a listing is sorted, and the entry behind which it goes on. */
export interface Position {
  column: 'name' | 'updated_at' | 'created_at'
  order: 'asc' | 'desc'
  /** The entry's name; that of a folder ends with its slash. */
  name: string
  /** The entry's time in `column` as ISO text, where that is a time. */
  time?: string
}

export interface CursorCodec {
  encode(listing: Listing, position: Position): string
  /** Throws InvalidParameter on what was not sealed here, or for another bucket, prefix or kind of listing. */
  decode(listing: Listing, cursor: string): Position
}

/** Bytes of the seal; nobody guesses 128 bits. */
const signatureLength = 16

/**
 * Cursors as clients hand them back: a seal and the position, in base64url. Upstream's are plain text that anyone
 * may write; row security would show no more for it, but a cursor of ours means what it meant when it was given.
 * @param secret the installation's
 */
export function createCursorCodec(secret: string): CursorCodec {
  const key = createHmac('sha256', secret).update('linnet: cursors of listings').digest()
  const signatureOf = ({ bucket, prefix, withFolders }: Listing, position: Buffer): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([bucket, prefix, withFolders]))
      .update(position)
      .digest()
      .subarray(0, signatureLength)
  return {
    encode(listing, position) {
      const text = Buffer.from(JSON.stringify(position))
      return Buffer.concat([signatureOf(listing, text), text]).toString('base64url')
    },
    decode(listing, cursor) {
      const bytes = Buffer.from(cursor, 'base64url')
      const text = bytes.subarray(signatureLength)
      const encode = bytes.subarray(0, signatureLength)
      if (encode.length < signatureLength || !timingSafeEqual(encode, signatureOf(listing, text))) {
        throw errors.invalidParameter('continuation token')
      }
      return JSON.parse(text.toString()) as Position
    },
  }
}
