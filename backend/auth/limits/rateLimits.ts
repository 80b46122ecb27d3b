import { serviceKey } from '../../budgets/callerKey.ts'
import { serverCallerKey, createBudget } from '../../budgets/createBudget.ts'
import { currentCallerKey } from '../../budgets/currentCallerKey.ts'
import { networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import { AuthError } from '../http/AuthError.ts'
import { rejectDuringCooldown } from './checkCooldown.ts'
import type { LimitSettings } from '../settings/limitSettings.ts'
import { createTokenBuckets, type TokenBuckets } from '../../budgets/createTokenBuckets.ts'

/** Kinds of requests that are counted separately, each per key. */
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
  | 'wrongCodePerCaller'
  | 'wrongCodeAnyCaller'
  | 'factorChallenge'
  | 'factorVerify'
  | 'wrongFactorCodePerCaller'
  | 'wrongFactorCodeAnyCaller'
  | 'passkey'
  | 'oauthRegister'
  | 'oauthAuthorize'

export interface RateLimits {
  /** Counts one request of `key` (an IP address, a contact or a user). Throws AuthError 429. */
  count(name: LimitName, key: string): void
  /** Reverts `count`. Used for limits of failures, whose outcome is known only afterwards. */
  refund(name: LimitName, key: string): void
  /**
   * Counts one mail of this server, for the caller of the current request and for the address, if one is given that
   * anyone can name. Throws AuthError 429.
   */
  countMail(address?: string): void
  /** When the last mail was refused and when the next hour begins, in milliseconds; null if none was refused this hour. */
  mailLimit(): { refusedAt: number; endsAt: number } | null
  /** Counts one text message of this server, for the caller of the current request. Throws AuthError 429. */
  countSms(): void
  /**
   * Starts the cooldown for messages to a contact and returns 0, whether or not the contact has an account. If the
   * previous message was requested less than `cooldownMs` ago, it returns the remaining milliseconds.
   */
  startCooldown(contact: string, cooldownMs: number): number
  /** Ends the cooldown, if no message could be sent. */
  endCooldown(contact: string): void
}

/**
 * The maximum number of remembered contacts. The oldest ones are dropped, so that a flood of contacts cannot fill the
 * memory.
 */
const maxContacts = 20_000

/** Maximum number of mails for sign-in to one address in an hour, from all callers. Without it, anyone could fill a mailbox. */
const mailsPerAddress = 10

/**
 * The number of wrong codes that one caller may send for one contact in an hour, after a burst of
 * `token_verifications`.
 */
const wrongCodesPerHour = 10

/**
 * The number of wrong codes that all callers together may send for one contact in a day, as a multiple of
 * `token_verifications`: 1,200 if that setting is 30. With a million possible codes of six digits, a guess succeeds
 * once in 800 days. To lock the owner out, an attacker needs forty networks.
 */
const wrongCodesPerDayFactor = 40

/**
 * The number of wrong codes that all callers together may send for one factor in a day. Three of a million TOTP codes
 * are valid at any time, so a guess succeeds once in 800 days. To lock the owner out, an attacker needs the password
 * and thirteen networks.
 */
const wrongFactorCodesPerDay = 400

/**
 * Counts requests in memory, as hosted Supabase does; a restart resets the counters. A limit of config.toml is the
 * size of the burst and of the refill. Hosted Supabase always allows a burst of 30. There, a limit of 3 would be 30;
 * and if 50 clients of an office wake at once, 20 would be refused a token refresh and signed out.
 * @param onMailLimit called for the first mail of an hour that is refused, with the seconds until the next hour
 */
export function createRateLimits(
  limits: LimitSettings,
  now: () => number = Date.now,
  onMailLimit: (seconds: number) => void = () => {},
): RateLimits {
  const per5Minutes = (size: number) => createTokenBuckets({ size, refill: size, period: 300_000, now })
  const perMinute = () => createTokenBuckets({ size: 30, refill: 15, period: 60_000, now })
  const anonymous = { size: limits.anonymousPerHour, refill: limits.anonymousPerHour, period: 3_600_000, now }
  const wrongCodesPerDay = limits.verifyPer5Minutes * wrongCodesPerDayFactor
  const buckets: Record<LimitName, TokenBuckets> = {
    anonymous: createTokenBuckets(anonymous),
    token: per5Minutes(limits.tokenPer5Minutes),
    web3: per5Minutes(limits.web3Per5Minutes),
    signup: per5Minutes(limits.signInPer5Minutes),
    otp: per5Minutes(limits.signInPer5Minutes),
    magiclink: per5Minutes(limits.signInPer5Minutes),
    recover: per5Minutes(limits.signInPer5Minutes),
    resend: per5Minutes(limits.signInPer5Minutes),
    user: per5Minutes(limits.signInPer5Minutes),
    verify: per5Minutes(limits.verifyPer5Minutes),
    wrongCodePerCaller: createTokenBuckets({
      size: limits.verifyPer5Minutes,
      refill: wrongCodesPerHour,
      period: 3_600_000,
      now,
    }),
    wrongCodeAnyCaller: createTokenBuckets({
      size: wrongCodesPerDay,
      refill: wrongCodesPerDay,
      period: 86_400_000,
      now,
    }),
    // Without keys in config.toml: the values of hosted Supabase.
    factorChallenge: perMinute(),
    factorVerify: perMinute(),
    wrongFactorCodePerCaller: createTokenBuckets({
      size: 30,
      refill: wrongCodesPerHour,
      period: 3_600_000,
      now,
    }),
    wrongFactorCodeAnyCaller: createTokenBuckets({
      size: wrongFactorCodesPerDay,
      refill: wrongFactorCodesPerDay,
      period: 86_400_000,
      now,
    }),
    passkey: per5Minutes(30),
    oauthRegister: createTokenBuckets({ size: 30, refill: 10, period: 300_000, now }),
    // Each request stores a row, and needs no authentication. Hosted Supabase has no limit here.
    oauthAuthorize: per5Minutes(300),
  }
  const mails = limits.emailPerHour === null ? null : createHourlyLimit(limits.emailPerHour, now)
  const addresses = createTokenBuckets({ size: mailsPerAddress, refill: mailsPerAddress, period: hour, now })
  let mailLimit: { refusedAt: number; endsAt: number } | null = null
  const sms = createHourlyLimit(limits.smsPerHour, now)
  const lastMessages = new Map<string, number>()
  return {
    count(name, key) {
      const wait = buckets[name].take(networkOf(key))
      if (wait > 0) {
        const message = 'Request rate limit reached'
        throw new AuthError(429, 'over_request_rate_limit', message, { retryAfter: wait })
      }
    },
    refund: (name, key) => buckets[name].refund(networkOf(key)),
    countMail(address) {
      if (mails === null) return
      if (address !== undefined) rejectDuringCooldown('email', addresses.take(address) * 1000)
      const wait = mails(messageCaller())
      if (wait === 0) return
      if ((mailLimit?.endsAt ?? 0) <= now()) onMailLimit(wait)
      mailLimit = { refusedAt: now(), endsAt: now() + wait * 1000 }
      // GoTrue's message has no seconds, and browsers can't read the header Retry-After of another origin.
      const message = `email rate limit exceeded, try again after ${wait} seconds`
      throw new AuthError(429, 'over_email_send_rate_limit', message, { retryAfter: wait })
    },
    mailLimit: () => (mailLimit !== null && mailLimit.endsAt > now() ? mailLimit : null),
    countSms: () => rejectSms(sms(messageCaller())),
    startCooldown(contact, cooldownMs) {
      const last = lastMessages.get(contact)
      // If the clock was set back, the cooldown ends.
      if (last !== undefined && last + cooldownMs > now() && last <= now()) return last + cooldownMs - now()
      lastMessages.delete(contact)
      if (lastMessages.size >= maxContacts) lastMessages.delete(lastMessages.keys().next().value!)
      lastMessages.set(contact, now())
      return 0
    },
    endCooldown: (contact) => void lastMessages.delete(contact),
  }
}

/**
 * Returns the caller whose share of the hour's messages is used. The service key belongs to the installation and has
 * no share.
 */
function messageCaller(): string {
  const caller = currentCallerKey.getStore() ?? serverCallerKey
  return caller === serviceKey ? serverCallerKey : caller
}

/** @param wait seconds until the next one is allowed; 0 if it is allowed now */
function rejectSms(wait: number): void {
  if (wait === 0) return
  const message = `SMS rate limit exceeded, try again after ${wait} seconds`
  throw new AuthError(429, 'over_sms_send_rate_limit', message, { retryAfter: wait })
}

const hour = 3_600_000

/**
 * Allows `max` events an hour, in consecutive hours from now. Each caller has a share of them (`createBudget`). If
 * neither the limit nor the share is reached, the returned function counts one event and returns 0. Otherwise it
 * returns the seconds until the next hour.
 */
function createHourlyLimit(max: number, now: () => number): (caller: string) => number {
  let began = now()
  let counted = createBudget({ capacity: max })
  return (caller) => {
    const time = now()
    if (time >= began + hour || time < began) {
      began = time < began ? time : began + Math.floor((time - began) / hour) * hour
      counted = createBudget({ capacity: max })
    }
    return counted.take(caller) ? 0 : Math.ceil((began + hour - time) / 1000)
  }
}
