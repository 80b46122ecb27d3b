import { randomBytes } from 'node:crypto'
import { hashByArgon2, hashesAtOnce } from './argon2Thread.ts'
import { createRequestQueue, type Turn } from '../limits/createRequestQueue.ts'
import { newForm, parsePasswordForm, type PasswordForm } from './passwordHashFormats.ts'

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
function createDecoy(): PasswordForm {
  const { memoryCost, timeCost, parallelism } = newForm
  const part = (bytes: number): string => randomBytes(bytes).toString('base64').replace(/=+$/, '')
  const parameters = `m=${memoryCost},t=${timeCost},p=${parallelism}`
  return parsePasswordForm(`$argon2id$v=19$${parameters}$${part(16)}$${part(32)}`)!
}

/** At 15 ms each, the last of a thousand who sign in at once waits some 15 s on one core. */
const usualQueue = 1000
/** Hashes that take more, in KiB, go one by one. */
const modestMemory = 65_536

/**
 * Hashing off the event loop, a few at a time: each takes 19 MiB and a core, so a burst of sign-ins waits its turn
 * here, and beyond `queue` is told to come back. Calls throw AuthError 429.
 */
export function createPasswords(o: { atOnce?: number; queue?: number } = {}): Passwords {
  const maxWaiting = o.queue ?? usualQueue
  const usual = createRequestQueue({ maxConcurrent: o.atOnce ?? hashesAtOnce, maxWaiting })
  const dear = createRequestQueue({ maxConcurrent: 1, maxWaiting })
  const decoy = createDecoy()
  const house: Turn = { client: '' }
  return {
    hash: (password, turn = house) => usual.run(turn, () => hashByArgon2(password, newForm)),
    async verify(stored, password, turn = house) {
      const form = (stored && parsePasswordForm(stored)) || decoy
      const queue = form.memory > modestMemory ? dear : usual
      return queue.run(turn, () => form.fits(password))
    },
  }
}

/** Whether `verify` supports this hash, for accounts that are imported with one. */
export function isPasswordHash(stored: string): boolean {
  return parsePasswordForm(stored) !== null
}

/** Whether a matching hash should be replaced: it is weaker than new ones, or in another format. */
export function isOutdatedHash(stored: string): boolean {
  return parsePasswordForm(stored)?.outdated !== false
}
