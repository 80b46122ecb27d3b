import { describe, expect, it } from 'vitest'
import { createRateLimits } from './rateLimits.ts'

function limitsAt(clock: { now: number }, emailPerHour: number | null = null) {
  return createRateLimits(
    { emailPerHour, anonymousPerHour: 1, tokenPer5Minutes: 3, signInPer5Minutes: 2, verifyPer5Minutes: 2 },
    () => clock.now,
  )
}

function caught(deed: () => void): unknown {
  try {
    deed()
    return null
  } catch (error) {
    return error
  }
}

describe('rate limits', () => {
  it('refuse one too many, each key and kind on its own, and forgive with time', () => {
    const clock = { now: 0 }
    const limits = limitsAt(clock)
    for (let i = 0; i < 3; i++) limits.count('token', 'a')
    expect(() => limits.count('token', 'a')).toThrow('Request rate limit reached')
    limits.count('token', 'b')
    limits.count('otp', 'a')
    const refusal = caught(() => limits.count('token', 'a'))
    expect(refusal).toMatchObject({ status: 429, code: 'over_request_rate_limit', retryAfter: 100 })
    clock.now += 100_000
    limits.count('token', 'a')
    expect(() => limits.count('token', 'a')).toThrow('Request rate limit reached')
  })

  it('count mails only where they cost something', () => {
    const clock = { now: 0 }
    const free = limitsAt(clock)
    for (let i = 0; i < 1000; i++) free.countMail()
    const dear = limitsAt(clock, 1)
    dear.countMail()
    expect(() => dear.countMail()).toThrow('email rate limit exceeded')
    expect(() => limitsAt(clock, 0).countMail()).toThrow('email rate limit exceeded')
  })

  it('remember who was asked for in vain', () => {
    const clock = { now: 1_000_000 }
    const limits = limitsAt(clock)
    expect(limits.lastAskedInVain('recover', 'a', 60_000)).toBeNull()
    clock.now += 1000
    expect(limits.lastAskedInVain('recover', 'a', 60_000)).toEqual(new Date(1_000_000))
    expect(limits.lastAskedInVain('signup', 'a', 60_000)).toBeNull()
    clock.now += 60_000
    expect(limits.lastAskedInVain('recover', 'a', 60_000)).toBeNull()
  })
})
