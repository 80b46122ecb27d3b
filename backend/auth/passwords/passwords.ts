import { randomBytes } from 'node:crypto'
import { hashWithArgon2, maxConcurrentHashes } from './argon2Thread.ts'
import { createRequestQueue, type QueueKey } from '../limits/createRequestQueue.ts'
import { newHashParameters, parsePasswordHash, type PasswordHash } from './parsePasswordHash.ts'

export interface Passwords {
  /** The hash to store: `$argon2id$…`. */
  hash(password: string, queueKey?: QueueKey): Promise<string>
  /**
   * Whether the password matches the stored hash. If there is no hash to verify (no such user, no password, an
   * unknown format), it takes as long as with a hash. So the time does not reveal which users exist.
   */
  verify(stored: string | null, password: string, queueKey?: QueueKey): Promise<boolean>
}

/** Creates a hash that no password matches, with the cost of new hashes. */
function createDecoyHash(): PasswordHash {
  const { memoryCost, timeCost, parallelism } = newHashParameters
  const part = (bytes: number): string => randomBytes(bytes).toString('base64').replace(/=+$/, '')
  const parameters = `m=${memoryCost},t=${timeCost},p=${parallelism}`
  return parsePasswordHash(`$argon2id$v=19$${parameters}$${part(16)}$${part(32)}`)!
}

/**
 * The maximum number of queued sign-ins. A hash takes 15 ms, so the last of a thousand waits about 15 s on one core.
 */
const defaultMaxQueued = 1000
/** Hashes that need more memory than this, in KiB, are verified one at a time. */
const maxSmallHashMemory = 65_536

/**
 * Hashes passwords off the event loop with limited concurrency, because each hash takes 19 MiB and a core. A burst of
 * sign-ins waits in a queue. Calls throw AuthError 429 if `queue` requests wait already.
 */
export function createPasswords(o: { atOnce?: number; queue?: number } = {}): Passwords {
  const maxWaiting = o.queue ?? defaultMaxQueued
  const smallHashes = createRequestQueue({ maxConcurrent: o.atOnce ?? maxConcurrentHashes, maxWaiting })
  const largeHashes = createRequestQueue({ maxConcurrent: 1, maxWaiting })
  const decoy = createDecoyHash()
  const serverKey: QueueKey = { client: '' }
  return {
    hash: (password, queueKey = serverKey) =>
      smallHashes.run(queueKey, () => hashWithArgon2(password, newHashParameters)),
    async verify(stored, password, queueKey = serverKey) {
      const parsed = (stored && parsePasswordHash(stored)) || decoy
      const queue = parsed.memory > maxSmallHashMemory ? largeHashes : smallHashes
      return queue.run(queueKey, () => parsed.matches(password))
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
