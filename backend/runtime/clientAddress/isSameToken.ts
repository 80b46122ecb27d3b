import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Whether a secret that was shown is the one that is wanted; digests are compared, so that the time it takes tells nothing. */
export function isSameToken(shown: string, wanted: string): boolean {
  return timingSafeEqual(digest(shown), digest(wanted))
}
