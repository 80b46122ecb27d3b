import { randomBytes } from 'node:crypto'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { compare as bcryptVerify } from 'bcryptjs'
import { AuthError, type WeakPasswordReason } from '../asking/AuthError.ts'
import type { AuthSettings } from '../settings/authSettings.ts'

/** OWASP's argon2id: 19 MiB, two passes, one lane; hosted auth reads the form that comes of it. */
const argon2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** bcrypt reads no further, and hosted refuses longer ones. In bytes. */
const longestPassword = 72

export interface Passwords {
  /** Hashes for storing: `$argon2id$…`. */
  hash(password: string): Promise<string>
  /**
   * Whether the password fits the stored hash. Without a hash (no such user, no password) it works as
   * long as with one, so that the time doesn't tell who exists.
   */
  verify(stored: string | null, password: string): Promise<boolean>
}

/**
 * Hashing off the event loop, a few at a time: each takes 19 MiB and a core, so a burst of sign-ins
 * waits its turn here, and beyond `queue` is told to come back.
 */
export function createPasswords(o: { atOnce?: number; queue?: number } = {}): Passwords {
  const atOnce = o.atOnce ?? 2
  const queue = o.queue ?? 200
  const waiting: (() => void)[] = []
  let running = 0
  let decoy: Promise<string> | null = null

  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= queue) {
        throw new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', { retryAfter: 2 })
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    running++
    try {
      return await work()
    } finally {
      running--
      waiting.shift()?.()
    }
  }

  return {
    hash: (password) => inTurn(() => argon2Hash(password, argon2)),
    verify: (stored, password) =>
      inTurn(async () => {
        decoy ??= argon2Hash(randomBytes(24), argon2)
        if (!stored) {
          await argon2Verify(await decoy, password)
          return false
        }
        return fits(stored, password)
      }),
  }
}

/** Forms that hosted rows have; an unknown form fits nothing. */
async function fits(stored: string, password: string): Promise<boolean> {
  try {
    if (stored.startsWith('$argon2')) return isModest(stored) && (await argon2Verify(stored, password))
    if (/^\$2[abxy]\$/.test(stored)) return await bcryptVerify(password, stored)
  } catch {
    return false
  }
  return false
}

/** Whether the cost of an argon2 hash is one that hosted would accept: others could stall the server. */
function isModest(stored: string): boolean {
  const match = /^\$argon2(?:i|id)\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(stored)
  return match !== null && Number(match[1]) <= 1_048_576 && Number(match[2]) <= 20 && Number(match[3]) <= 16
}

/** Whether this is a hash that `verify` can check, for accounts that arrive with one. */
export function isPasswordHash(stored: string): boolean {
  return isModest(stored) || /^\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}$/.test(stored)
}

/** Throws AuthError where a new password breaks the rules of the configuration. */
export function checkPasswordStrength(password: string, rules: AuthSettings['password']): void {
  const bytes = Buffer.byteLength(password)
  if (bytes > longestPassword) {
    throw new AuthError(
      400,
      'validation_failed',
      `Password cannot be longer than ${longestPassword} characters`,
    )
  }
  const reasons: WeakPasswordReason[] = []
  const messages: string[] = []
  if (bytes < rules.minimumLength) {
    reasons.push('length')
    messages.push(`Password should be at least ${rules.minimumLength} characters.`)
  }
  if (rules.required.some((set) => ![...password].some((character) => set.includes(character)))) {
    reasons.push('characters')
    messages.push(`Password should contain at least one character of each: ${rules.required.join(', ')}.`)
  }
  if (reasons.length > 0) throw new AuthError(422, 'weak_password', messages.join(' '), { reasons })
}
