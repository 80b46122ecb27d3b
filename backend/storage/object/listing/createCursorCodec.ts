import { createHmac, timingSafeEqual } from 'node:crypto'
import { errors } from '../../errors.ts'

/** What is listed; a cursor is valid only for the listing it was issued for. */
export interface Listing {
  bucket: string
  prefix: string
  /** Whether folders are shown as one entry each. */
  withFolders: boolean
}

/** The order of a listing, and the entry after which it continues. */
export interface Position {
  column: 'name' | 'updated_at' | 'created_at'
  order: 'asc' | 'desc'
  /** The entry's name, with a trailing slash for a folder. */
  name: string
  /** The entry's time in `column` as ISO text, where that is a time. */
  time?: string
}

export interface CursorCodec {
  encode(listing: Listing, position: Position): string
  /** Throws InvalidParameter for a cursor that this server did not sign, or of another bucket, prefix or kind of listing. */
  decode(listing: Listing, cursor: string): Position
}

/** Bytes of the signature; 128 bits can't be guessed. */
const signatureLength = 16

/**
 * Encodes cursors: a signature and the position, in base64url. Upstream's are plain text that anyone can forge; row
 * security would still apply, but a signed cursor is certain to mean what it meant when it was issued.
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
