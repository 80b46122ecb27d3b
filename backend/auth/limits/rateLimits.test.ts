import { describe, expect, it } from 'vitest'
import { currentCallerKey } from '../../budgets/currentCallerKey.ts'
import { createRateLimits } from './rateLimits.ts'

function limitSettings(emailPerHour: number | null) {
  const perClient = { tokenPer5Minutes: 3, signInPer5Minutes: 2, verifyPer5Minutes: 2, web3Per5Minutes: 2 }
  return { emailPerHour, smsPerHour: 1, anonymousPerHour: 1, ...perClient }
}

function limitsAt(clock: { now: number }, emailPerHour: number | null = null) {
  return createRateLimits(limitSettings(emailPerHour), () => clock.now)
}

function errorOf(action: () => void): unknown {
  try {
    action()
    return null
  } catch (error) {
    return error
  }
}

describe('rate limits', () => {
  it('reject a request beyond the limit, per key and kind, until tokens are refilled', () => {
    const clock = { now: 0 }
    const limits = limitsAt(clock)
    for (let i = 0; i < 3; i++) limits.count('token', 'a')
    expect(() => limits.count('token', 'a')).toThrow('Request rate limit reached')
    limits.count('token', 'b')
    limits.count('otp', 'a')
    const refusal = errorOf(() => limits.count('token', 'a'))
    expect(refusal).toMatchObject({ status: 429, code: 'over_request_rate_limit', retryAfter: 100 })
    clock.now += 100_000
    limits.count('token', 'a')
    expect(() => limits.count('token', 'a')).toThrow('Request rate limit reached')
  })

  it('count wrong codes per caller and over all callers', () => {
    const clock = { now: 0 }
    const limits = limitsAt(clock)
    const guess = (caller: number) => () => limits.count('wrongCodePerCaller', `10.0.0.${caller} a@b.example`)
    for (let i = 0; i < 10; i++) {
      guess(1)()
      limits.refund('wrongCodePerCaller', '10.0.0.1 a@b.example')
    }
    guess(1)()
    guess(1)()
    expect(errorOf(guess(1))).toMatchObject({ status: 429, retryAfter: 360 })
    guess(2)()
    for (let i = 0; i < 80; i++) limits.count('wrongCodeAnyCaller', 'a@b.example')
    expect(errorOf(() => limits.count('wrongCodeAnyCaller', 'a@b.example'))).toMatchObject({
      retryAfter: 1080,
    })
    limits.count('wrongCodeAnyCaller', 'b@b.example')
  })

  it('count mails only if they are sent by SMTP', () => {
    const clock = { now: 0 }
    const unlimited = limitsAt(clock)
    for (let i = 0; i < 1000; i++) unlimited.countMail()
    const limited = limitsAt(clock, 1)
    limited.countMail()
    expect(() => limited.countMail()).toThrow('email rate limit exceeded')
    expect(() => limitsAt(clock, 0).countMail()).toThrow('email rate limit exceeded')
    clock.now += 3_599_999
    expect(errorOf(() => limited.countMail())).toMatchObject({
      code: 'over_email_send_rate_limit',
      retryAfter: 1,
    })
    clock.now += 1
    limited.countMail()
  })

  it('send one address ten mails in an hour, whoever requests them', () => {
    const limits = limitsAt({ now: 0 }, 300)
    const request = (address: string, caller: number) =>
      errorOf(() => currentCallerKey.run(`network 192.0.2.${caller}`, () => limits.countMail(address)))
    for (let caller = 0; caller < 10; caller++) expect(request('bea@mail.example', caller)).toBeNull()
    expect(request('bea@mail.example', 10)).toMatchObject({
      message: 'For security purposes, you can only request this after 360 seconds.',
      retryAfter: 360,
    })
    expect(request('ann@mail.example', 10)).toBeNull()
    expect(limits.mailLimit()).toBeNull()
  })

  it('report the refused mails of an hour once, with the seconds until the next hour', () => {
    const clock = { now: 1_000 }
    const reports: number[] = []
    const limits = createRateLimits(
      limitSettings(1),
      () => clock.now,
      (seconds) => reports.push(seconds),
    )
    limits.countMail()
    clock.now += 600_000
    const refusal = errorOf(() => limits.countMail())
    expect(refusal).toMatchObject({ message: 'email rate limit exceeded, try again after 3000 seconds' })
    clock.now += 1_000
    errorOf(() => limits.countMail())
    expect(limits.mailLimit()).toEqual({ refusedAt: 602_000, endsAt: 3_601_000 })
    expect(reports).toEqual([3000])
    clock.now = 3_601_000
    expect(limits.mailLimit()).toBeNull()
    limits.countMail()
    errorOf(() => limits.countMail())
    expect(reports).toEqual([3000, 3600])
  })

  it('count text messages per hour over all users', () => {
    const clock = { now: 0 }
    const limits = limitsAt(clock)
    limits.countSms()
    expect(errorOf(() => limits.countSms())).toMatchObject({
      code: 'over_sms_send_rate_limit',
      retryAfter: 3600,
    })
    // Hours are counted from the start, so one at the end of an hour makes the next hour no shorter.
    clock.now += 9_000_000
    limits.countSms()
    expect(errorOf(() => limits.countSms())).toMatchObject({ retryAfter: 1800 })
  })

  it('leave mails and text messages of an hour to other callers than the one that takes all it can', () => {
    const clock = { now: 0 }
    const limits = limitsAt(clock, 30)
    const countAll = (caller: string): number =>
      currentCallerKey.run(caller, () => {
        for (let count = 0; ; count++) if (errorOf(() => limits.countMail()) !== null) return count
      })
    expect(['network 192.0.2.1', 'network 192.0.2.2', 'person a'].map(countAll)).toEqual([15, 7, 4])
    expect(countAll('service_role')).toBe(4)
    clock.now += 3_600_000
    expect(countAll('network 192.0.2.1')).toBe(15)
  })

  it('allow a burst of 30 factor verifications, then one in four seconds, as hosted Supabase does', () => {
    const clock = { now: 0 }
    const limits = limitsAt(clock)
    for (let i = 0; i < 30; i++) limits.count('factorVerify', 'a')
    expect(errorOf(() => limits.count('factorVerify', 'a'))).toMatchObject({ retryAfter: 4 })
    limits.count('factorChallenge', 'a')
    clock.now += 4000
    limits.count('factorVerify', 'a')
  })

  it('count an IPv6 /64 network as one client', () => {
    const limits = limitsAt({ now: 0 })
    limits.count('signup', '2001:db8::1')
    limits.count('signup', '2001:db8::ffff:2')
    expect(() => limits.count('signup', '2001:db8:0:0:1:2:3:4')).toThrow('Request rate limit reached')
    limits.count('signup', '2001:db8:0:1::1')
  })

  it('keep working when the clock is set back', () => {
    const clock = { now: 1_000_000_000 }
    const limits = limitsAt(clock, 1)
    limits.count('otp', 'a')
    limits.countMail()
    clock.now -= 900_000_000
    limits.count('otp', 'a')
    expect(errorOf(() => limits.count('otp', 'a'))).toMatchObject({ retryAfter: 150 })
    limits.countMail()
  })

  it('keep a cooldown per contact for messages', () => {
    const clock = { now: 1_000_000 }
    const limits = limitsAt(clock)
    expect(limits.startCooldown('email a', 60_000)).toBe(0)
    clock.now += 1000
    expect(limits.startCooldown('email a', 60_000)).toBe(59_000)
    expect(limits.startCooldown('email b', 60_000)).toBe(0)
    limits.endCooldown('email b')
    expect(limits.startCooldown('email b', 60_000)).toBe(0)
    clock.now += 60_000
    expect(limits.startCooldown('email a', 60_000)).toBe(0)
  })
})
