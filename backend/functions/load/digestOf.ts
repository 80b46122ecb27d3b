import { createHash } from 'node:crypto'

/** By which the same words, or bytes, are known again. */
export const digestOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex')
