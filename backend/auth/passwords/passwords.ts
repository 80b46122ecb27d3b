import { randomBytes } from 'node:crypto'
import { hashWithArgon2, maxConcurrentHashes } from './argon2Thread.ts'
import { createRequestQueue, type Turn } from '../limits/createRequestQueue.ts'
import { newHashParameters, parsePasswordHash, type PasswordHash } from './parsePasswordHash.ts'

export interface Passwords {
  /** The hash to store: `$argon2id$…`. */
  hash(password: string, turn?: Turn): Promise<string>
  /**
   * Whether the password matches the stored hash. Without a hash that can be verified (no such user, no
   * password, an unknown format) it takes as long as with one, so that the time does not reveal which users
   * exist.
   */
  verify(stored: string | null, password: string, turn?: Turn): Promise<boolean>
}

/** A hash that no password matches, at the cost of new hashes. */
function createDecoyHash(): PasswordHash {
  const { memoryCost, timeCost, parallelism } = newHashParameters
  const part = (bytes: number): string => randomBytes(bytes).toString('base64').replace(/=+$/, '')
  const parameters = `m=${memoryCost},t=${timeCost},p=${parallelism}`
  return parsePasswordHash(`$argon2id$v=19$${parameters}$${part(16)}$${part(32)}`)!
}

/** At 15 ms each, the last of a thousand who sign in at once waits some 15 s on one core. */
const defaultMaxQueued = 1000
/** Hashes that take more, in KiB, go one by one. */
const maxSmallHashMemory = 65_536

/**
 * Hashing off the event loop, a few at a time: each takes 19 MiB and a core, so a burst of sign-ins waits its turn
 * here, and beyond `queue` is told to come back. Calls throw AuthError 429.
 */
export function createPasswords(o: { atOnce?: number; queue?: number } = {}): Passwords {
  const maxWaiting = o.queue ?? defaultMaxQueued
  const smallHashes = createRequestQueue({ maxConcurrent: o.atOnce ?? maxConcurrentHashes, maxWaiting })
  const largeHashes = createRequestQueue({ maxConcurrent: 1, maxWaiting })
  const decoy = createDecoyHash()
  const house: Turn = { client: '' }
  return {
    hash: (password, turn = house) =>
      smallHashes.run(turn, () => hashWithArgon2(password, newHashParameters)),
    async verify(stored, password, turn = house) {
      const parsed = (stored && parsePasswordHash(stored)) || decoy
      const queue = parsed.memory > maxSmallHashMemory ? largeHashes : smallHashes
      return queue.run(turn, () => parsed.matches(password))
    },
  }
}

/** Whether `verify` supports this hash, for accounts that are imported with one. */
export function isPasswordHash(stored: string): boolean {
  return parsePasswordHash(stored) !== null
}

/** Whether a matching hash should be replaced: it is weaker than new ones, or in another format. */
export function isOutdatedHash(stored: string): boolean {
  return parsePasswordHash(stored)?.outdated !== false
}
