import { createHash } from 'node:crypto'

/** SHA-256 digest, to recognise identical content. */
export const digestOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex')
