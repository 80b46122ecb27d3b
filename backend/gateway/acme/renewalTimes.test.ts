import { expect, it } from 'vitest'
import { renewalTime, retryDelayMs, retryTimeAfterStart } from './renewalTimes.ts'

const minute = 60_000
const day = 86_400_000
const start = Date.parse('2026-12-01T00:00:00Z')
const certificate = {
  validFrom: new Date(start).toUTCString(),
  validTo: new Date(start + 90 * day).toUTCString(),
}

it('a certificate is renewed after two thirds of its lifetime', () => {
  expect(renewalTime(certificate, null, start)).toBe(start + 60 * day)
  expect(renewalTime(certificate, null, null)).toBe(start + 60 * day)
})

it('the certificate authority can suggest an earlier renewal, but no later one', () => {
  expect(renewalTime(certificate, start + 10 * day, start)).toBe(start + 10 * day)
  expect(renewalTime(certificate, start + 80 * day, start)).toBe(start + 60 * day)
  // A suggestion that lies in the past is followed a day after the issue, so that no two orders follow each other at once.
  expect(renewalTime(certificate, start - 10 * day, start)).toBe(start + day)
})

it('a wrong clock does not make the server order one certificate after another', () => {
  const issuedAt = start + 400 * day
  expect(renewalTime(certificate, null, issuedAt)).toBe(issuedAt + 30 * day)
})

it('attempts follow after 15 minutes, then each time after twice as long, up to a day', () => {
  expect([1, 2, 3, 4, 7, 8, 1_000].map((failures) => retryDelayMs(failures, null) / minute)).toEqual([
    15, 30, 60, 120, 960, 1_440, 1_440,
  ])
  expect(retryDelayMs(1, 6 * 3_600_000)).toBe(6 * 3_600_000)
  expect(retryDelayMs(1, 1_000)).toBe(15 * minute)
  expect(retryDelayMs(1, Infinity)).toBe(7 * day)
})

it('a restart makes the next attempt at most 15 minutes after the last one, unless the limit of the authority is reached', () => {
  const at = new Date(start).toISOString()
  const retryAt = new Date(start + day).toISOString()
  const failure = { at, reason: 'refused the connection' }
  expect(retryTimeAfterStart({ failure: null, retryAt: null })).toBe(0)
  expect(retryTimeAfterStart({ failure: { ...failure, problem: 'validation' }, retryAt })).toBe(
    start + 15 * minute,
  )
  expect(retryTimeAfterStart({ failure: { ...failure, problem: 'rate_limited' }, retryAt })).toBe(start + day)
})
