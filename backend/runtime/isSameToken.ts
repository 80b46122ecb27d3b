import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Whether a presented secret is the expected one. Compares digests in constant time. */
export function isSameToken(presented: string, expected: string): boolean {
  return timingSafeEqual(digest(presented), digest(expected))
}
