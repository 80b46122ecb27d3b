import { networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import { AuthError } from '../http/AuthError.ts'
import type { LimitSettings } from '../settings/limitSettings.ts'
import { createBuckets, createHourlyCount, type Buckets } from './tokenBuckets.ts'

/** Kinds of requests that are counted apart, each for each client. */
export type LimitName =
  | 'anonymous'
  | 'token'
  | 'web3'
  | 'signup'
  | 'otp'
  | 'magiclink'
  | 'recover'
  | 'resend'
  | 'user'
  | 'verify'
  | 'wrongCode'
  | 'wrongCodes'
  | 'factorChallenge'
  | 'factorVerify'
  | 'wrongProof'
  | 'wrongProofs'
  | 'passkey'
  | 'oauthRegister'
  | 'oauthAuthorize'

export interface RateLimits {
  /** Counts one request of `key` (an address of the network, or of a person). Throws AuthError 429. */
  count(name: LimitName, key: string): void
  /** Takes back what `count` counted: for limits of what fails, which is known only afterwards. */
  uncount(name: LimitName, key: string): void
  /** Counts one mail of the whole installation. Throws AuthError 429. */
  countMail(): void
  /** Counts one text message of the whole installation. Throws AuthError 429. */
  countText(): void
  /**
   * Notes that a message to an address or number is asked for, known or not, and returns 0; or returns the ms that are
   * left where the last one was asked for less than `frequency` ms ago.
   */
  noteMessage(contact: string, frequency: number): number
  /** Takes back what noteMessage noted, where no message could be sent. */
  forgetMessage(contact: string): void
}

/** More addresses than this and the oldest are forgotten: a flood of them must not fill the memory. */
const mostAddresses = 20_000

/** Wrong codes of one caller for one address, an hour, where `token_verifications` were tried at once. */
const wrongCodesPerHour = 10

/**
 * Wrong codes of all callers for one address, a day, as a multiple of `token_verifications`: 1,200 where that is 30.
 * Of a million codes of six digits these find one in 800 days. Whoever wants to keep its owner from signing in has to
 * guess from forty networks.
 */
const wrongCodesPerDayFactor = 40

/**
 * Wrong codes of all callers for one factor, a day. Three of a million codes of an app fit at any time, so these find
 * one in 800 days too; and whoever wants to keep its owner from signing in has to know the password and to guess from
 * thirteen networks.
 */
const wrongProofsPerDay = 400

/**
 * Counters in memory, as hosted keeps them; a restart forgives. A limit of config.toml is what its key says:
 * so many at once, then as fast as they refill. Hosted lets 30 through at once whatever the key says, so that 3
 * would be 30 there, and of an office of 50 that wakes at once 20 would be refused a refresh, which signs them out.
 */
export function createRateLimits(limits: LimitSettings, now: () => number = Date.now): RateLimits {
  const per5Minutes = (size: number) => createBuckets({ size, refill: size, period: 300_000, now })
  const perMinute = () => createBuckets({ size: 30, refill: 15, period: 60_000, now })
  const anonymous = { size: limits.anonymousPerHour, refill: limits.anonymousPerHour, period: 3_600_000, now }
  const everyone = limits.verifyPer5Minutes * wrongCodesPerDayFactor
  const buckets: Record<LimitName, Buckets> = {
    anonymous: createBuckets(anonymous),
    token: per5Minutes(limits.tokenPer5Minutes),
    web3: per5Minutes(limits.web3Per5Minutes),
    signup: per5Minutes(limits.signInPer5Minutes),
    otp: per5Minutes(limits.signInPer5Minutes),
    magiclink: per5Minutes(limits.signInPer5Minutes),
    recover: per5Minutes(limits.signInPer5Minutes),
    resend: per5Minutes(limits.signInPer5Minutes),
    user: per5Minutes(limits.signInPer5Minutes),
    verify: per5Minutes(limits.verifyPer5Minutes),
    wrongCode: createBuckets({
      size: limits.verifyPer5Minutes,
      refill: wrongCodesPerHour,
      period: 3_600_000,
      now,
    }),
    wrongCodes: createBuckets({ size: everyone, refill: everyone, period: 86_400_000, now }),
    // What config.toml has no keys for is as large as hosted's.
    factorChallenge: perMinute(),
    factorVerify: perMinute(),
    wrongProof: createBuckets({ size: 30, refill: wrongCodesPerHour, period: 3_600_000, now }),
    wrongProofs: createBuckets({
      size: wrongProofsPerDay,
      refill: wrongProofsPerDay,
      period: 86_400_000,
      now,
    }),
    passkey: per5Minutes(30),
    oauthRegister: createBuckets({ size: 30, refill: 10, period: 300_000, now }),
    // Each stores a row, and anyone may ask: hosted counts none of them.
    oauthAuthorize: per5Minutes(300),
  }
  const mails = limits.emailPerHour === null ? null : createHourlyCount(limits.emailPerHour, now)
  const texts = createHourlyCount(limits.smsPerHour, now)
  const asked = new Map<string, number>()
  return {
    count(name, key) {
      const wait = buckets[name].take(networkOf(key))
      if (wait > 0) {
        const message = 'Request rate limit reached'
        throw new AuthError(429, 'over_request_rate_limit', message, { retryAfter: wait })
      }
    },
    uncount: (name, key) => buckets[name].giveBack(networkOf(key)),
    countMail: () => refuseMail(mails?.() ?? 0),
    countText: () => refuseText(texts()),
    noteMessage(contact, frequency) {
      const last = asked.get(contact)
      // A clock that was set back must not make anybody wait longer.
      if (last !== undefined && last + frequency > now() && last <= now()) return last + frequency - now()
      asked.delete(contact)
      if (asked.size >= mostAddresses) asked.delete(asked.keys().next().value!)
      asked.set(contact, now())
      return 0
    },
    forgetMessage: (contact) => void asked.delete(contact),
  }
}

/** @param wait seconds until there is room again; 0 where there is */
function refuseMail(wait: number): void {
  if (wait === 0) return
  const message = 'email rate limit exceeded'
  throw new AuthError(429, 'over_email_send_rate_limit', message, { retryAfter: wait })
}

/** @param wait seconds until there is room again; 0 where there is */
function refuseText(wait: number): void {
  if (wait === 0) return
  const message = 'SMS rate limit exceeded'
  throw new AuthError(429, 'over_sms_send_rate_limit', message, { retryAfter: wait })
}
