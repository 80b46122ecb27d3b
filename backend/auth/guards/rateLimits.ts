import { networkOf } from '../../client/parseAddress.ts'
import { AuthError } from '../asking/AuthError.ts'
import type { AuthSettings } from '../settings/authSettings.ts'

/** Kinds of requests that are counted apart. */
export type LimitName =
  | 'anonymous'
  | 'token'
  | 'signup'
  | 'otp'
  | 'magiclink'
  | 'recover'
  | 'resend'
  | 'user'
  | 'verify'

export interface RateLimits {
  /** Counts one request of `key` (an address of the network, or of a person). Throws AuthError 429. */
  count(name: LimitName, key: string): void
  /** Counts one mail of the whole installation. Throws AuthError 429. */
  countMail(): void
  /**
   * Says when something was last asked for an address that nobody has, and notes it: such addresses
   * are told to wait just like known ones. Null when that is longer ago than `within` ms.
   */
  lastAskedInVain(kind: string, address: string, within: number): Date | null
}

interface Bucket {
  left: number
  at: number
}

/** More keys than this and the oldest are forgotten: a flood of addresses must not fill the memory. */
const mostKeys = 20_000

/** A bucket of `size` that refills evenly over `period` ms. */
function createBuckets(size: number, period: number, now: () => number) {
  const buckets = new Map<string, Bucket>()
  /** 0 when there was one left, else seconds until there is one. */
  return (key: string): number => {
    if (size === 0) return Math.ceil(period / 1000)
    const time = now()
    const known = buckets.get(key)
    const left = Math.min(size, known ? known.left + ((time - known.at) * size) / period : size)
    buckets.delete(key)
    if (buckets.size >= mostKeys) buckets.delete(buckets.keys().next().value!)
    const taken = left >= 1
    buckets.set(key, { left: taken ? left - 1 : left, at: time })
    return taken ? 0 : Math.ceil(((1 - left) * period) / size / 1000)
  }
}

/** Counters in memory, as hosted keeps them; a restart forgives. */
export function createRateLimits(limits: AuthSettings['limits'], now: () => number = Date.now): RateLimits {
  const per5Minutes = (size: number) => createBuckets(size, 300_000, now)
  const perHour = (size: number) => createBuckets(size, 3_600_000, now)
  const buckets: Record<LimitName, (key: string) => number> = {
    anonymous: perHour(limits.anonymousPerHour),
    token: per5Minutes(limits.tokenPer5Minutes),
    signup: per5Minutes(limits.signInPer5Minutes),
    otp: per5Minutes(limits.signInPer5Minutes),
    magiclink: per5Minutes(limits.signInPer5Minutes),
    recover: per5Minutes(limits.signInPer5Minutes),
    resend: per5Minutes(limits.signInPer5Minutes),
    user: per5Minutes(limits.signInPer5Minutes),
    verify: per5Minutes(limits.verifyPer5Minutes),
  }
  const mails = limits.emailPerHour === null ? null : perHour(limits.emailPerHour)
  const asked = new Map<string, number>()
  return {
    count(name, key) {
      const wait = buckets[name](networkOf(key))
      if (wait > 0) {
        const message = 'Request rate limit reached'
        throw new AuthError(429, 'over_request_rate_limit', message, { retryAfter: wait })
      }
    },
    countMail() {
      const wait = mails?.('') ?? 0
      if (wait > 0) {
        const message = 'email rate limit exceeded'
        throw new AuthError(429, 'over_email_send_rate_limit', message, { retryAfter: wait })
      }
    },
    lastAskedInVain(kind, address, within) {
      const key = `${kind} ${address}`
      const last = asked.get(key)
      if (last !== undefined && last + within > now()) return new Date(last)
      asked.delete(key)
      if (asked.size >= mostKeys) asked.delete(asked.keys().next().value!)
      asked.set(key, now())
      return null
    },
  }
}
